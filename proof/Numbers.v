(* SPDX-License-Identifier: Apache-2.0 *)
(* Dyadic numbers m 2^e: what a certificate holds. Sums and products are exact; quotients and roots are rounded to one side. *)
From Coq Require Import ZArith Reals Lra Lia.
Open Scope Z_scope.

Record dyadic := Dy { mantissa : Z; exponent : Z }.
Definition val (a : dyadic) : R := (IZR (mantissa a) * powerRZ 2 (exponent a))%R.

Definition dint (k : Z) := Dy k 0.
Definition dzero := dint 0.
Definition done := dint 1.
Definition dadd (a b : dyadic) : dyadic :=
  let (m, e) := a in let (k, f) := b in
  match m, k with
  | Z0, _ => b
  | _, Z0 => a
  | _, _ => if e <=? f then Dy (m + Z.shiftl k (f - e)) e else Dy (Z.shiftl m (e - f) + k) f
  end.
Definition dneg (a : dyadic) := Dy (- mantissa a) (exponent a).
Definition dsub (a b : dyadic) := dadd a (dneg b).
Definition dmul (a b : dyadic) : dyadic :=
  match mantissa a, mantissa b with
  | Z0, _ | _, Z0 => dzero
  | m, k => Dy (m * k) (exponent a + exponent b)
  end.
Definition dsgn (a : dyadic) : Z := Z.sgn (mantissa a).
Definition dle (a b : dyadic) : bool := 0 <=? mantissa (dsub b a).
Definition dlt (a b : dyadic) : bool := 0 <? mantissa (dsub b a).
Definition deq (a b : dyadic) : bool := mantissa (dsub b a) =? 0.
Definition dabs (a : dyadic) := Dy (Z.abs (mantissa a)) (exponent a).
Definition dmax (a b : dyadic) := if dle a b then b else a.
Definition dmin (a b : dyadic) := if dle a b then a else b.
Definition dhalf (a : dyadic) := Dy (mantissa a) (exponent a - 1).

(* a / b to 256 bits, b > 0: at least that. Exact where the quotient has as few bits. *)
Definition precision := 256.
Definition ceil_div (a b : Z) := - ((- a) / b).
Definition ddiv_up (a b : dyadic) : dyadic :=
  let k := precision + Z.log2 (mantissa b) in
  Dy (ceil_div (Z.shiftl (mantissa a) k) (mantissa b)) (exponent a - exponent b - k).
Definition ddiv_down (a b : dyadic) := dneg (ddiv_up (dneg a) b).
(* The root of a >= 0: at least that. *)
Definition dsqrt_up (a : dyadic) : dyadic :=
  let k := 2 * precision + (exponent a) mod 2 in
  let m := Z.shiftl (mantissa a) k in
  let r := Z.sqrt m in
  Dy (if r * r =? m then r else r + 1) ((exponent a - k) / 2).
(* A number of binary64 that is at least a (without its largest exponent). *)
Definition double_up (a : dyadic) : dyadic :=
  let s := Z.max (Z.log2 (Z.abs (mantissa a)) + 1 - 53) (-1074 - exponent a) in
  if s <=? 0 then a else Dy (ceil_div (mantissa a) (Z.shiftl 1 s)) (exponent a + s).
Definition double_down (a : dyadic) := dneg (double_up (dneg a)).
(* At least a, of p bits at most. *)
Definition dtrim_up (p : Z) (a : dyadic) : dyadic :=
  let s := Z.log2 (Z.abs (mantissa a)) + 1 - p in
  if s <=? 0 then a else Dy (ceil_div (mantissa a) (Z.shiftl 1 s)) (exponent a + s).

Local Open Scope R_scope.

Lemma pow2_pos e : 0 < powerRZ 2 e.
Proof. apply powerRZ_lt; lra. Qed.

Lemma pow2_add e f : powerRZ 2 (e + f) = powerRZ 2 e * powerRZ 2 f.
Proof. apply powerRZ_add; lra. Qed.

Lemma pow2_IZR k : (0 <= k)%Z -> IZR (2 ^ k) = powerRZ 2 k.
Proof.
  intro H. destruct k as [|p|p]; [reflexivity| |lia].
  rewrite <- (positive_nat_Z p), <- pow_IZR. now rewrite pow_powerRZ.
Qed.

Lemma shiftl_val m k : (0 <= k)%Z -> IZR (Z.shiftl m k) = IZR m * powerRZ 2 k.
Proof. intro H. rewrite Z.shiftl_mul_pow2 by assumption. now rewrite mult_IZR, pow2_IZR. Qed.

Lemma val_int k : val (dint k) = IZR k.
Proof. unfold val; simpl. ring. Qed.
Lemma val_zero : val dzero = 0.
Proof. apply val_int. Qed.
Lemma val_one : val done = 1.
Proof. apply val_int. Qed.

Lemma val_add a b : val (dadd a b) = val a + val b.
Proof.
  destruct a as [m e], b as [k f].
  assert (G : val (if e <=? f then Dy (m + Z.shiftl k (f - e)) e else Dy (Z.shiftl m (e - f) + k) f)%Z
              = val (Dy m e) + val (Dy k f)).
  { destruct (Z.leb_spec e f); unfold val; simpl; rewrite plus_IZR, shiftl_val by lia.
    - replace f with ((f - e) + e)%Z at 2 by lia. rewrite pow2_add. ring.
    - replace e with ((e - f) + f)%Z at 2 by lia. rewrite pow2_add. ring. }
  unfold dadd. destruct m; [unfold val; simpl; ring| |]; destruct k; try exact G; unfold val; simpl; ring.
Qed.
Lemma val_neg a : val (dneg a) = - val a.
Proof. unfold val; simpl. rewrite opp_IZR. ring. Qed.
Lemma val_sub a b : val (dsub a b) = val a - val b.
Proof. unfold dsub. rewrite val_add, val_neg. ring. Qed.
Lemma val_mul a b : val (dmul a b) = val a * val b.
Proof.
  assert (G : val (Dy (mantissa a * mantissa b) (exponent a + exponent b)) = val a * val b).
  { unfold val; simpl. rewrite mult_IZR, pow2_add. ring. }
  unfold dmul. destruct (mantissa a) eqn:A; [unfold val; rewrite A; simpl; ring| |];
  destruct (mantissa b) eqn:B; try exact G; unfold val; rewrite B; simpl; ring.
Qed.
Lemma val_half a : val (dhalf a) = val a / 2.
Proof.
  unfold val, dhalf; simpl. replace (exponent a - 1)%Z with (exponent a + -1)%Z by lia. rewrite pow2_add.
  assert (E : powerRZ 2 (-1) = / 2) by (simpl; f_equal; lra). rewrite E. lra.
Qed.

Lemma mantissa_pos a : (0 < mantissa a)%Z <-> 0 < val a.
Proof.
  unfold val. pose proof (pow2_pos (exponent a)). split; intro G.
  - apply Rmult_lt_0_compat; auto. now apply IZR_lt.
  - apply lt_IZR. apply Rmult_lt_reg_r with (powerRZ 2 (exponent a)); auto. now rewrite Rmult_0_l.
Qed.
Lemma mantissa_nonneg a : (0 <= mantissa a)%Z <-> 0 <= val a.
Proof.
  unfold val. pose proof (pow2_pos (exponent a)). split; intro G.
  - apply Rmult_le_pos; [now apply IZR_le | lra].
  - apply le_IZR. apply Rmult_le_reg_r with (powerRZ 2 (exponent a)); auto. now rewrite Rmult_0_l.
Qed.
Lemma mantissa_zero a : mantissa a = 0%Z <-> val a = 0.
Proof.
  unfold val. pose proof (pow2_pos (exponent a)). split; intro G.
  - rewrite G. ring.
  - apply eq_IZR. apply Rmult_eq_reg_r with (powerRZ 2 (exponent a)); lra.
Qed.

Lemma dle_spec a b : dle a b = true <-> val a <= val b.
Proof. unfold dle. rewrite Z.leb_le, mantissa_nonneg, val_sub. lra. Qed.
Lemma dlt_spec a b : dlt a b = true <-> val a < val b.
Proof. unfold dlt. rewrite Z.ltb_lt, mantissa_pos, val_sub. lra. Qed.
Lemma deq_spec a b : deq a b = true <-> val a = val b.
Proof. unfold deq. rewrite Z.eqb_eq, mantissa_zero, val_sub. split; intro; lra. Qed.
Lemma val_abs a : val (dabs a) = Rabs (val a).
Proof. unfold val, dabs; simpl. rewrite abs_IZR, Rabs_mult, (Rabs_pos_eq (powerRZ _ _)); auto. apply Rlt_le, pow2_pos. Qed.
Lemma val_max a b : val (dmax a b) = Rmax (val a) (val b).
Proof.
  unfold dmax. destruct (dle a b) eqn:E.
  - apply dle_spec in E. now rewrite Rmax_right.
  - rewrite Rmax_left; auto. apply Rnot_lt_le. intro H. assert (dle a b = true) by (apply dle_spec; lra). congruence.
Qed.
Lemma val_min a b : val (dmin a b) = Rmin (val a) (val b).
Proof.
  unfold dmin. destruct (dle a b) eqn:E.
  - apply dle_spec in E. now rewrite Rmin_left.
  - rewrite Rmin_right; auto. apply Rnot_lt_le. intro H. assert (dle a b = true) by (apply dle_spec; lra). congruence.
Qed.

Lemma ceil_div_spec a b : (0 < b)%Z -> (a <= ceil_div a b * b)%Z.
Proof. intro H. unfold ceil_div. pose proof (Z.mul_div_le (- a) b H). nia. Qed.

Lemma ddiv_up_spec a b : 0 < val b -> val a / val b <= val (ddiv_up a b).
Proof.
  intro H. pose proof H as B. apply mantissa_pos in B.
  apply Rmult_le_reg_r with (val b); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  set (k := (precision + Z.log2 (mantissa b))%Z).
  assert (K : (0 <= k)%Z) by (unfold k, precision; pose proof (Z.log2_nonneg (mantissa b)); lia).
  unfold val, ddiv_up. fold k. cbn [mantissa exponent]. clearbody k.
  set (q := ceil_div (Z.shiftl (mantissa a) k) (mantissa b)).
  assert (Q : IZR (mantissa a) * powerRZ 2 k <= IZR q * IZR (mantissa b)).
  { rewrite <- shiftl_val by assumption. rewrite <- mult_IZR. apply IZR_le. now apply ceil_div_spec. }
  remember (exponent a - k)%Z as g eqn:G. remember (- exponent b)%Z as h eqn:J.
  replace (exponent a - exponent b - k)%Z with (g + h)%Z by lia. replace (exponent a) with (k + g)%Z by lia.
  rewrite !pow2_add.
  assert (E : powerRZ 2 h * powerRZ 2 (exponent b) = 1).
  { rewrite <- pow2_add. replace (h + exponent b)%Z with 0%Z by lia. reflexivity. }
  pose proof (pow2_pos g) as P.
  replace (IZR q * (powerRZ 2 g * powerRZ 2 h) * (IZR (mantissa b) * powerRZ 2 (exponent b)))
    with (IZR q * IZR (mantissa b) * powerRZ 2 g * (powerRZ 2 h * powerRZ 2 (exponent b))) by ring.
  rewrite E. nra.
Qed.
Lemma ddiv_down_spec a b : 0 < val b -> val (ddiv_down a b) <= val a / val b.
Proof.
  intro H. unfold ddiv_down. rewrite val_neg. pose proof (ddiv_up_spec (dneg a) b H) as G. rewrite val_neg in G.
  unfold Rdiv in *. lra.
Qed.

Lemma dsqrt_up_spec a : 0 <= val a -> sqrt (val a) <= val (dsqrt_up a).
Proof.
  intro H. pose proof H as A. apply mantissa_nonneg in A.
  set (k := (2 * precision + exponent a mod 2)%Z).
  pose proof (Z.mod_pos_bound (exponent a) 2 ltac:(lia)) as B.
  assert (K : (0 <= k)%Z) by (unfold k, precision; lia).
  set (h := ((exponent a - k) / 2)%Z).
  assert (E : exponent a = (k + (h + h))%Z).
  { unfold h. pose proof (Z.div_mod (exponent a) 2 ltac:(lia)).
    replace (exponent a - k)%Z with ((exponent a / 2 - precision) * 2)%Z by (unfold k; lia).
    rewrite Z.div_mul by lia. unfold k. lia. }
  set (m := Z.shiftl (mantissa a) k). set (r := Z.sqrt m).
  assert (M : (0 <= m)%Z) by (unfold m; now apply Z.shiftl_nonneg).
  pose proof (Z.sqrt_spec m M) as S. fold r in S.
  pose proof (Z.sqrt_nonneg m) as N. fold r in N.
  set (q := if (r * r =? m)%Z then r else (r + 1)%Z).
  assert (Q : (m <= q * q)%Z /\ (0 <= q)%Z).
  { unfold q. destruct (Z.eqb_spec (r * r) m); unfold Z.succ in *; nia. }
  assert (V : val a = IZR m * (powerRZ 2 h * powerRZ 2 h)).
  { unfold val. rewrite E at 1. rewrite !pow2_add. unfold m. rewrite shiftl_val by assumption. ring. }
  change (sqrt (val a) <= IZR q * powerRZ 2 h).
  pose proof (pow2_pos h) as P.
  assert (0 <= IZR q * powerRZ 2 h) by (apply Rmult_le_pos; [apply IZR_le; lia | lra]).
  rewrite <- (sqrt_square (IZR q * powerRZ 2 h)) by assumption.
  apply sqrt_le_1_alt. rewrite V.
  assert (IZR m <= IZR q * IZR q) by (rewrite <- mult_IZR; apply IZR_le; lia).
  replace (IZR q * powerRZ 2 h * (IZR q * powerRZ 2 h)) with (IZR q * IZR q * (powerRZ 2 h * powerRZ 2 h)) by ring.
  apply Rmult_le_compat_r; nra.
Qed.

Lemma double_up_spec a : val a <= val (double_up a).
Proof.
  unfold double_up. set (s := Z.max _ _). destruct (Z.leb_spec s 0); [lra|].
  unfold val; simpl. rewrite pow2_add.
  assert (T : (0 < Z.shiftl 1 s)%Z) by (rewrite Z.shiftl_1_l; apply Z.pow_pos_nonneg; lia).
  pose proof (ceil_div_spec (mantissa a) _ T) as C. apply IZR_le in C. rewrite mult_IZR, shiftl_val in C by lia.
  pose proof (pow2_pos (exponent a)). nra.
Qed.
Lemma double_down_spec a : val (double_down a) <= val a.
Proof. unfold double_down. rewrite val_neg. pose proof (double_up_spec (dneg a)) as H. rewrite val_neg in H. lra. Qed.

Lemma dtrim_up_spec p a : val a <= val (dtrim_up p a).
Proof.
  unfold dtrim_up. set (s := (_ - p)%Z). destruct (Z.leb_spec s 0); [lra|].
  unfold val; simpl. rewrite pow2_add.
  assert (T : (0 < Z.shiftl 1 s)%Z) by (rewrite Z.shiftl_1_l; apply Z.pow_pos_nonneg; lia).
  pose proof (ceil_div_spec (mantissa a) _ T) as C. apply IZR_le in C. rewrite mult_IZR, shiftl_val in C by lia.
  pose proof (pow2_pos (exponent a)). nra.
Qed.
Lemma dtrim_up_neg p a : val a <= 0 -> val (dtrim_up p a) <= 0.
Proof.
  intro A. unfold dtrim_up. set (s := (_ - p)%Z). destruct (Z.leb_spec s 0); [exact A|].
  assert (M : (mantissa a <= 0)%Z).
  { apply le_IZR. unfold val in A. pose proof (pow2_pos (exponent a)). nra. }
  unfold val; simpl. pose proof (pow2_pos (exponent a + s)) as P.
  assert (T : (0 < Z.shiftl 1 s)%Z) by (rewrite Z.shiftl_1_l; apply Z.pow_pos_nonneg; lia).
  assert (C : (ceil_div (mantissa a) (Z.shiftl 1 s) <= 0)%Z). { unfold ceil_div. pose proof (Z.div_pos (- mantissa a) _ ltac:(lia) T). lia. }
  apply IZR_le in C. nra.
Qed.

Lemma val_sgn a : dsgn a = 1%Z <-> 0 < val a.
Proof. unfold dsgn. rewrite <- mantissa_pos. destruct (mantissa a); simpl; lia. Qed.
Global Opaque val dadd dmul dneg dsub ddiv_up ddiv_down dsqrt_up double_up double_down dtrim_up dle dlt deq dabs dmax dmin dhalf dsgn dint.
Global Hint Rewrite val_add val_neg val_sub val_mul val_half val_abs val_max val_min val_int val_zero val_one : val.
