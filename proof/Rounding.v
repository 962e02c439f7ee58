(* SPDX-License-Identifier: Apache-2.0 *)
(* `nearest` of Data.v rounds as IEEE 754 does: of the multiples of 2^t it takes the nearest, an even one where two are, and t is the
   exponent of binary64: -1074, or such that the result has 53 bits. *)
From Coq Require Import ZArith Lia Bool.
From Fathom Require Import Numbers Data.
Open Scope Z_scope.

(* |a / b - m| <= 1/2, and m is even where that is an equality. *)
Theorem half_even_nearest a b : 0 < b ->
  2 * Z.abs (a - half_even a b * b) <= b /\ (2 * Z.abs (a - half_even a b * b) = b -> Z.even (half_even a b) = true).
Proof.
  intro B. unfold half_even. pose proof (Z_div_mod a b ltac:(lia)) as D. destruct (Z.div_eucl a b) as (q, r). destruct D as (D & R).
  destruct (Z.ltb_spec (2 * r) b) as [L|L]; cbn [orb andb].
  - replace (a - q * b) with r by lia. lia.
  - destruct (Z.eqb_spec (2 * r) b) as [E|E]; cbn [orb andb].
    + destruct (Z.even q) eqn:Q.
      * replace (a - q * b) with r by lia. split; [lia | auto].
      * replace (a - (q + 1) * b) with (r - b) by lia. split; [lia|]. intros _. rewrite Z.even_add, Q. reflexivity.
    + replace (a - (q + 1) * b) with (r - b) by lia. lia.
Qed.

(* The exponent: a / b = p / q 2^t with p / q < 2^53, and at least 2^52 unless t is the least one. *)
Lemma scaled_quotient a b t p q : 0 < b -> scaled a b t = (p, q) -> 0 < q /\ (p * b * 2 ^ Z.max 0 t = a * q * 2 ^ Z.max 0 (- t)).
Proof.
  intros B. unfold scaled. destruct (Z.leb_spec 0 t); intros [= <- <-]; rewrite Z.shiftl_mul_pow2 by lia.
  - rewrite Z.max_r, Z.max_l by lia. split; [apply Z.mul_pos_pos; [assumption | apply Z.pow_pos_nonneg; lia] | ring].
  - rewrite Z.max_l, Z.max_r by lia. split; [assumption | ring].
Qed.
Theorem nearest_in_range a b p q : 0 < a -> 0 < b -> scaled a b (nearest_exponent a b) = (p, q) ->
  -1074 <= nearest_exponent a b /\ p / q < 2 ^ 53 /\ (nearest_exponent a b = -1074 \/ 2 ^ 52 <= p / q).
Proof.
  intros A B S. unfold nearest_exponent in *. set (k := Z.log2 a - Z.log2 b - 53) in *. set (t := Z.max (-1074) k) in *.
  destruct (scaled a b t) as (p1, q1) eqn:S1. destruct (scaled_quotient a b t p1 q1 B S1) as (Q1 & E1).
  pose proof (Z.log2_spec a A) as LA. pose proof (Z.log2_spec b B) as LB. pose proof (Z.log2_nonneg a). pose proof (Z.log2_nonneg b).
  (* a < 2^(la + 1), b >= 2^lb: a / b < 2^(k + 54); a / b > 2^(k + 52) *)
  assert (Up : p1 < q1 * 2 ^ 54).
  { unfold scaled in S1. destruct (Z.leb_spec 0 t); injection S1 as <- <-; rewrite Z.shiftl_mul_pow2 by lia.
    - apply Z.lt_le_trans with (2 ^ (Z.log2 a + 1)); [exact (proj2 LA)|].
      apply Z.le_trans with (2 ^ (Z.log2 b) * 2 ^ t * 2 ^ 54).
      + rewrite <- !Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia.
      + apply Z.mul_le_mono_nonneg_r; [lia|]. apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia | exact (proj1 LB)].
    - apply Z.lt_le_trans with (2 ^ (Z.log2 a + 1) * 2 ^ (- t)).
      + apply Z.mul_lt_mono_pos_r; [apply Z.pow_pos_nonneg; lia | exact (proj2 LA)].
      + apply Z.le_trans with (2 ^ Z.log2 b * 2 ^ 54).
        * rewrite <- !Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia.
        * apply Z.mul_le_mono_nonneg_r; [lia | exact (proj1 LB)]. }
  assert (Low : t = k -> q1 * 2 ^ 52 <= p1).
  { intro T. unfold scaled in S1. destruct (Z.leb_spec 0 t); injection S1 as <- <-; rewrite Z.shiftl_mul_pow2 by lia.
    - apply Z.le_trans with (2 ^ Z.log2 a); [|exact (proj1 LA)].
      apply Z.le_trans with (2 ^ (Z.log2 b + 1) * 2 ^ t * 2 ^ 52).
      + apply Z.mul_le_mono_nonneg_r; [lia|]. apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia|]. apply Z.lt_le_incl. exact (proj2 LB).
      + rewrite <- !Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia.
    - apply Z.le_trans with (2 ^ Z.log2 a * 2 ^ (- t)); [|apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia | exact (proj1 LA)]].
      apply Z.le_trans with (2 ^ (Z.log2 b + 1) * 2 ^ 52).
      + apply Z.mul_le_mono_nonneg_r; [lia|]. apply Z.lt_le_incl. exact (proj2 LB).
      + rewrite <- !Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia. }
  destruct (Z.ltb_spec (p1 / q1) (2 ^ 53)) as [L|L].
  - rewrite S1 in S. injection S as <- <-. split; [lia|]. split; [exact L|].
    destruct (Z.le_gt_cases k (-1074)) as [K|K]; [left; lia|]. right. apply Z.div_le_lower_bound; [lia|]. apply Low. lia.
  - destruct (scaled_quotient a b (t + 1) p q B S) as (Q & E).
    (* p / q is half of p1 / q1 *)
    assert (H2 : 2 * p * q1 = p1 * q).
    { unfold scaled in S1, S. destruct (Z.leb_spec 0 t), (Z.leb_spec 0 (t + 1)); try lia; injection S1 as <- <-; injection S as <- <-;
        rewrite ?Z.shiftl_mul_pow2 by lia.
      - rewrite Z.pow_add_r by lia. ring.
      - replace (- t) with 1 by lia. replace (t + 1) with 0 by lia. ring.
      - replace (- t) with (- (t + 1) + 1) by lia. rewrite Z.pow_add_r by lia. ring. }
    assert (G : q1 * 2 ^ 53 <= p1).
    { apply Z.le_trans with (q1 * (p1 / q1)); [apply Z.mul_le_mono_nonneg_l; lia | apply Z.mul_div_le; lia]. }
    split; [lia|]. split.
    + apply Z.div_lt_upper_bound; [lia|]. apply Z.mul_lt_mono_pos_r with (2 * q1); [lia|].
      replace (p * (2 * q1)) with (p1 * q) by (rewrite <- H2; ring).
      replace (q * 2 ^ 53 * (2 * q1)) with (q1 * 2 ^ 54 * q) by (change (2 ^ 54) with (2 * 2 ^ 53); ring).
      now apply Z.mul_lt_mono_pos_r.
    + right. apply Z.div_le_lower_bound; [lia|]. apply Z.mul_le_mono_pos_r with (2 * q1); [lia|].
      replace (p * (2 * q1)) with (p1 * q) by (rewrite <- H2; ring).
      replace (q * 2 ^ 52 * (2 * q1)) with (q1 * 2 ^ 53 * q) by (change (2 ^ 53) with (2 * 2 ^ 52); ring).
      apply Z.mul_le_mono_nonneg_r; lia.
Qed.
