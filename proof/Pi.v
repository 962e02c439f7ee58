(* SPDX-License-Identifier: Apache-2.0 *)
(* An enclosure of pi, by pi / 4 = 2 atan(1/3) + atan(1/7) and the alternating series of atan (the standard library's Machin.v). *)
From Coq Require Import ZArith Reals Ratan Machin Lra Lia.
From Fathom Require Import Numbers.

(* The terms of the series as quotients of integers, and its partial sums times 2^240 from both sides. *)
Definition top_term (n : nat) : Z := let k := (2 * Z.of_nat n + 1)%Z in (2 * 7 ^ k + 3 ^ k)%Z.
Definition bottom_term (n : nat) : Z := let k := (2 * Z.of_nat n + 1)%Z in (21 ^ k * k)%Z.
Definition term_below (n : nat) : Z := (top_term n * 2 ^ 240 / bottom_term n)%Z.
Definition term_above (n : nat) : Z := ceil_div (top_term n * 2 ^ 240) (bottom_term n).
Fixpoint below (n : nat) : Z := match n with O => term_below 0 | S k => (below k + if Nat.even n then term_below n else - term_above n)%Z end.
Fixpoint above (n : nat) : Z := match n with O => term_above 0 | S k => (above k + if Nat.even n then term_above n else - term_below n)%Z end.
Definition pi_low : dyadic := Eval vm_compute in Dy (below 71) (-238).
Definition pi_high : dyadic := Eval vm_compute in Dy (above 70) (-238).

Open Scope R_scope.
Lemma bottom_pos n : (0 < bottom_term n)%Z.
Proof. unfold bottom_term. apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg|]; lia. Qed.
Lemma power_of a n : (a <> 0)%Z -> (/ IZR a) ^ (2 * n + 1) = / IZR (a ^ (2 * Z.of_nat n + 1)).
Proof.
  intro A. rewrite pow_inv, pow_IZR. f_equal. f_equal. f_equal. lia.
Qed.
Lemma term_quotient n : PI_2_3_7_tg n = IZR (top_term n) / IZR (bottom_term n).
Proof.
  unfold PI_2_3_7_tg, Ratan_seq, top_term, bottom_term. rewrite !power_of by lia. rewrite INR_IZR_INZ. replace (Z.of_nat (2 * n + 1)) with (2 * Z.of_nat n + 1)%Z by lia.
  set (k := (2 * Z.of_nat n + 1)%Z). assert (K : (0 < k)%Z) by lia.
  replace (21 ^ k)%Z with (3 ^ k * 7 ^ k)%Z by (rewrite <- Z.pow_mul_l; reflexivity). rewrite plus_IZR, !mult_IZR.
  assert (IZR (3 ^ k) <> 0) by (apply not_0_IZR; pose proof (Z.pow_pos_nonneg 3 k); lia).
  assert (IZR (7 ^ k) <> 0) by (apply not_0_IZR; pose proof (Z.pow_pos_nonneg 7 k); lia).
  assert (IZR k <> 0) by (apply not_0_IZR; lia). field. auto.
Qed.
Lemma term_enclosed n : IZR (term_below n) <= PI_2_3_7_tg n * IZR (2 ^ 240) <= IZR (term_above n).
Proof.
  rewrite term_quotient. unfold term_below, term_above. pose proof (bottom_pos n) as B. generalize (top_term n) (bottom_term n) (2 ^ 240)%Z B. clear. intros a b t B.
  assert (Br : 0 < IZR b) by (now apply IZR_lt). replace (IZR a / IZR b * IZR t) with (IZR (a * t) / IZR b) by (rewrite mult_IZR; field; lra).
  split; apply Rmult_le_reg_r with (IZR b); auto; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; rewrite <- mult_IZR; apply IZR_le.
  - rewrite Z.mul_comm. now apply Z.mul_div_le. - now apply ceil_div_spec.
Qed.
Lemma sums_enclosed n : IZR (below n) <= sum_f_R0 (tg_alt PI_2_3_7_tg) n * IZR (2 ^ 240) <= IZR (above n).
Proof.
  induction n as [|n IH].
  - cbn [sum_f_R0 below above]. unfold tg_alt. rewrite pow_O, Rmult_1_l. apply term_enclosed.
  - change (sum_f_R0 (tg_alt PI_2_3_7_tg) (S n)) with (sum_f_R0 (tg_alt PI_2_3_7_tg) n + tg_alt PI_2_3_7_tg (S n)).
    change (below (S n)) with (below n + if Nat.even (S n) then term_below (S n) else - term_above (S n))%Z.
    change (above (S n)) with (above n + if Nat.even (S n) then term_above (S n) else - term_below (S n))%Z.
    pose proof (term_enclosed (S n)) as T. generalize dependent (sum_f_R0 (tg_alt PI_2_3_7_tg) n). intros s IH. unfold tg_alt. rewrite !plus_IZR. generalize dependent (IZR (2 ^ 240)). intros t IH T. destruct (Nat.even (S n)) eqn:E.
    + apply Nat.even_spec in E as (m & E'). replace ((-1) ^ S n) with 1 by (rewrite E'; now rewrite pow_1_even). lra.
    + assert (O : Nat.odd (S n) = true) by (unfold Nat.odd; now rewrite E). apply Nat.odd_spec in O as (m & O).
      replace ((-1) ^ S n) with (-1) by (rewrite O; replace (2 * m + 1)%nat with (S (2 * m)) by lia; now rewrite pow_1_odd). rewrite !opp_IZR. lra.
Qed.
Local Transparent val.
Lemma scaled_val m : val (Dy m (-238)) * IZR (2 ^ 240) = 4 * IZR m.
Proof.
  unfold val. cbn [mantissa exponent]. rewrite (pow2_IZR 240) by lia. rewrite Rmult_assoc, <- pow2_add. replace (powerRZ 2 (-238 + 240)) with 4 by (simpl; ring). ring.
Qed.
Lemma from_scaled t lo hi sl sh vl vh pi : 0 < t -> sl <= pi / 4 -> pi / 4 <= sh -> lo <= sl * t -> sh * t <= hi -> vl * t = 4 * lo -> vh * t = 4 * hi -> vl <= pi <= vh.
Proof.
  intros T L U A B El Eh. assert (sl * t <= pi / 4 * t) by (apply Rmult_le_compat_r; lra). assert (pi / 4 * t <= sh * t) by (apply Rmult_le_compat_r; lra).
  split; apply Rmult_le_reg_r with t; auto; lra.
Qed.
Theorem pi_enclosed : val pi_low <= PI <= val pi_high.
Proof.
  pose proof (PI_2_3_7_ineq 35) as (L & U). change (S (2 * 35)) with 71%nat in L. change (2 * 35)%nat with 70%nat in U.
  replace pi_low with (Dy (below 71) (-238)) by (vm_compute; reflexivity). replace pi_high with (Dy (above 70) (-238)) by (vm_compute; reflexivity).
  exact (from_scaled _ _ _ _ _ _ _ _ (IZR_lt 0 (2 ^ 240) eq_refl) L U (proj1 (sums_enclosed 71)) (proj2 (sums_enclosed 70)) (scaled_val _) (scaled_val _)).
Qed.
Lemma pi_low_pos : 0 < val pi_low.
Proof. apply mantissa_pos. reflexivity. Qed.
