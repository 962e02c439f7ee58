(* SPDX-License-Identifier: Apache-2.0 *)
(* Exponentials and logarithms from above, and Gibbs' inequality.

   exp(-t) <= (1 / (1 + t / 2^k))^(2^k), as exp(s) >= 1 + s; ln y = 2^k ln(y^(1 / 2^k)) <= 2^k (y^(1 / 2^k) - 1), as ln(1 + s) <= s: squares
   and roots, each rounded up. With k = 140 what is lost is t^2 / 2^141 of the value. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz.
From Fathom Require Import Numbers Statement Linear Vectors.
Import ListNotations.

Definition halvings := 140%nat.
Definition pow_minus_k := Dy 1 (-140).
Definition pow_k := Dy 1 140.
Fixpoint squared_up (k : nat) (a : dyadic) : dyadic := match k with O => a | S k => squared_up k (dtrim_up 400 (dmul a a)) end.
Fixpoint rooted_up (k : nat) (a : dyadic) : dyadic := match k with O => a | S k => rooted_up k (dsqrt_up a) end.
(* Of t <= 0; below -400 what is above it anyway. *)
Definition exp_up (t : dyadic) : dyadic :=
  if dle t (dint (-400)) then Dy 1 (-400)
  else squared_up halvings (ddiv_up done (dsub done (dmul pow_minus_k (dtrim_up 300 t)))).
(* Of y > 0. *)
Definition ln_up (y : dyadic) : dyadic := dmul pow_k (dsub (rooted_up halvings y) done).
(* ln sum_k exp f_k *)
Definition lse_up (l : list dyadic) : dyadic :=
  match l with
  | [] => dzero
  | a :: rest => let top := fold_left dmax rest a in dadd top (ln_up (dsum (map (fun f => exp_up (dsub f top)) l)))
  end.
(* - z ln(z / c) from below. *)
Definition entropy_down (c z : dyadic) : dyadic := if deq z dzero then dzero else dneg (dmul z (ln_up (ddiv_up z c))).

Open Scope R_scope.

Lemma val_pow2 e : val (Dy 1 e) = powerRZ 2 e.
Proof. Transparent val. unfold val. simpl. ring. Opaque val. Qed.
Lemma pow_k_inverse : val pow_k * val pow_minus_k = 1.
Proof. unfold pow_k, pow_minus_k. rewrite !val_pow2, <- pow2_add. reflexivity. Qed.
Lemma pow_minus_pos : 0 < val pow_minus_k.
Proof. unfold pow_minus_k. rewrite val_pow2. apply pow2_pos. Qed.
Lemma val_pow_k : val pow_k = 2 ^ halvings.
Proof. unfold pow_k. rewrite val_pow2. change 140%Z with (Z.of_nat halvings). symmetry. apply pow_powerRZ. Qed.

Lemma squared_up_spec k a t : 0 <= t -> t <= val a -> t ^ (2 ^ k)%nat <= val (squared_up k a).
Proof.
  revert a t. induction k as [|k IH]; intros a t T H; cbn [squared_up].
  - simpl. lra.
  - replace (2 ^ S k)%nat with (2 * 2 ^ k)%nat by (simpl; lia). rewrite pow_mult. apply IH.
    + simpl. nra.
    + eapply Rle_trans; [|apply dtrim_up_spec]. rewrite val_mul. simpl. nra.
Qed.
Lemma exp_pow t k : exp (INR k * t) = exp t ^ k.
Proof.
  induction k as [|k IH]; [simpl; rewrite Rmult_0_l; apply exp_0|]. rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.
Lemma exp_ge s : 1 + s <= exp s.
Proof. destruct (Req_dec s 0) as [->|N]; [rewrite exp_0; lra|]. apply Rlt_le. now apply exp_ineq1. Qed.
Lemma INR_pow2 k : INR (2 ^ k) = 2 ^ k.
Proof. now rewrite pow_INR. Qed.

Lemma exp_up_spec t : val t <= 0 -> exp (val t) <= val (exp_up t).
Proof.
  intro T. unfold exp_up. destruct (dle t (dint (-400))) eqn:E.
  - apply dle_spec in E. rewrite val_int in E. rewrite val_pow2.
    assert (A : 2 ^ 400 <= exp 400).
    { assert (E4 : 400 = INR 400 * 1) by (rewrite INR_IZR_INZ, Rmult_1_r; reflexivity). rewrite E4, exp_pow. apply pow_incr. pose proof (exp_ge 1). lra. }
    assert (B : exp (val t) <= exp (Ropp 400)). { destruct (Req_dec (val t) (Ropp 400)) as [->|N]; [lra|]. apply Rlt_le, exp_increasing. lra. }
    rewrite exp_Ropp in B. change (powerRZ 2 (-400)) with (/ 2 ^ (Pos.to_nat 400)). change (Pos.to_nat 400) with 400%nat.
    eapply Rle_trans; [exact B|]. apply Rinv_le_contravar; [apply pow_lt; lra | exact A].
  - set (s := dtrim_up 300 t). assert (S : val t <= val s) by apply dtrim_up_spec.
    assert (S0 : val s <= 0) by (apply dtrim_up_neg; exact T).
    set (w := dsub done (dmul pow_minus_k s)).
    assert (W : val w = 1 + val pow_minus_k * - val s). { unfold w. rewrite val_sub, val_mul, val_one. ring. }
    pose proof pow_minus_pos as P. assert (W1 : 1 <= val w) by (rewrite W; nra).
    apply Rle_trans with ((1 / val w) ^ (2 ^ halvings)%nat).
    2: { apply squared_up_spec; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. rewrite <- val_one. apply ddiv_up_spec. lra. }
    assert (X : 0 < / val w) by (apply Rinv_0_lt_compat; lra).
    assert (Y : exp (val pow_minus_k * val s) <= / val w).
    { replace (val pow_minus_k * val s) with (- (val pow_minus_k * - val s)) by ring. rewrite exp_Ropp. apply Rinv_le_contravar; [lra|]. rewrite W. apply exp_ge. }
    apply Rle_trans with (exp (val s)). { destruct (Req_dec (val t) (val s)) as [->|N]; [lra|]. apply Rlt_le, exp_increasing. lra. }
    replace (val s) with (INR (2 ^ halvings) * (val pow_minus_k * val s)).
    + rewrite exp_pow. apply pow_incr. split; [apply Rlt_le, exp_pos|]. unfold Rdiv. lra.
    + rewrite INR_pow2, <- val_pow_k, <- Rmult_assoc, pow_k_inverse. ring.
Qed.

Lemma rooted_up_spec k a t : 0 < t -> t ^ (2 ^ k)%nat <= val a -> t <= val (rooted_up k a).
Proof.
  revert a. induction k as [|k IH]; intros a T H; cbn [rooted_up].
  - simpl in H. lra.
  - apply IH; auto. assert (P : 0 < t ^ (2 ^ k)%nat) by (now apply pow_lt).
    replace (2 ^ S k)%nat with (2 ^ k + 2 ^ k)%nat in H by (simpl; lia). rewrite pow_add in H.
    eapply Rle_trans; [|apply dsqrt_up_spec; nra]. rewrite <- (sqrt_square (t ^ (2 ^ k)%nat)) by lra. now apply sqrt_le_1_alt.
Qed.
Lemma ln_up_spec y : 0 < val y -> ln (val y) <= val (ln_up y).
Proof.
  intro Y. unfold ln_up. rewrite val_mul, val_sub, val_one. set (t := exp (val pow_minus_k * ln (val y))).
  assert (T : t <= val (rooted_up halvings y)).
  { apply rooted_up_spec; [apply exp_pos|]. unfold t. rewrite <- exp_pow, INR_pow2, <- val_pow_k, <- Rmult_assoc, pow_k_inverse, Rmult_1_l, exp_ln by assumption. lra. }
  pose proof (exp_ge (val pow_minus_k * ln (val y))) as G. fold t in G.
  assert (K : 0 < val pow_k) by (rewrite val_pow_k; apply pow_lt; lra).
  replace (ln (val y)) with (val pow_k * (val pow_minus_k * ln (val y))) by (rewrite <- Rmult_assoc, pow_k_inverse; ring).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma top_spec l a : val a <= val (fold_left dmax l a) /\ forall b, In b l -> val b <= val (fold_left dmax l a).
Proof.
  revert a. induction l as [|c l IH]; intro a; simpl; [split; [lra | tauto]|]. destruct (IH (dmax a c)) as (A & B). rewrite val_max in A.
  pose proof (Rmax_l (val a) (val c)). pose proof (Rmax_r (val a) (val c)). split; [lra|]. intros b [<-|I]; [lra | auto].
Qed.
Lemma lse_up_spec l : l <> [] -> ln (sum (map exp (vals l))) <= val (lse_up l).
Proof.
  intro N. destruct l as [|a rest]; [contradiction|]. unfold lse_up. set (top := fold_left dmax rest a). set (l := a :: rest) in *.
  assert (T : forall b, In b l -> val b <= val top).
  { destruct (top_spec rest a) as (A & B). intros b [<-|I]; [exact A | now apply B]. }
  rewrite val_add. set (S := dsum (map (fun f => exp_up (dsub f top)) l)).
  assert (Pos : 0 < sum (map exp (vals l))). { unfold vals. rewrite map_map. apply sum_pos; [discriminate|]. intros. apply exp_pos. }
  assert (B : sum (map exp (vals l)) <= exp (val top) * val S).
  { unfold S. rewrite val_sum. unfold vals. rewrite !map_map, <- sum_times. apply sum_le. intros b I.
    pose proof (exp_up_spec (dsub b top)) as E. rewrite val_sub in E. pose proof (T b I).
    replace (val b) with (val top + (val b - val top)) at 1 by ring. rewrite exp_plus. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | apply E; lra]. }
  assert (SP : 0 < val S). { pose proof (exp_pos (val top)). nra. }
  apply Rle_trans with (ln (exp (val top) * val S)).
  - destruct (Req_dec (sum (map exp (vals l))) (exp (val top) * val S)) as [->|D]; [lra|]. apply Rlt_le, ln_increasing; lra.
  - rewrite ln_mult, ln_exp by (try apply exp_pos; assumption). pose proof (ln_up_spec S SP). lra.
Qed.

(* - z ln(z / c), 0 at 0. *)
Definition entropy (c z : R) : R := if Rle_dec z 0 then 0 else - (z * ln (z / c)).
Lemma entropy_down_spec c z : 0 < val c -> 0 <= val z -> val (entropy_down c z) <= entropy (val c) (val z).
Proof.
  intros C Z. unfold entropy_down, entropy. destruct (deq z dzero) eqn:E.
  - apply deq_spec in E. rewrite val_zero in E. destruct (Rle_dec _ _); [|lra]. rewrite val_zero. lra.
  - destruct (Rle_dec (val z) 0) as [L|L].
    { assert (val z = val dzero) by (rewrite val_zero; lra). apply deq_spec in H. congruence. }
    rewrite val_neg, val_mul. apply Ropp_le_contravar. apply Rmult_le_compat_l; [exact Z|].
    assert (Q : 0 < val z / val c) by (apply Rdiv_lt_0_compat; lra).
    pose proof (ddiv_up_spec z c C) as D. eapply Rle_trans; [|apply ln_up_spec; lra].
    destruct (Req_dec (val z / val c) (val (ddiv_up z c))) as [->|N]; [lra|]. apply Rlt_le, ln_increasing; lra.
Qed.
Lemma ln_le_minus t : 0 < t -> ln t <= t - 1.
Proof. intro T. pose proof (exp_ge (ln t)). rewrite exp_ln in H by assumption. lra. Qed.

(* Gibbs: sum_k z_k f_k + entropy <= c ln sum_k exp f_k where sum_k z_k = c. *)
Lemma gibbs {A} (z f : A -> R) (c : R) (l : list A) : l <> [] -> 0 < c -> (forall a, In a l -> 0 <= z a) -> sum (map z l) = c ->
  sum (map (fun a => z a * f a) l) + sum (map (fun a => entropy c (z a)) l) <= c * ln (sum (map (fun a => exp (f a)) l)).
Proof.
  intros N C Z T. set (S := sum (map (fun a => exp (f a)) l)).
  assert (SP : 0 < S) by (apply sum_pos; [assumption | intros; apply exp_pos]).
  assert (H : sum (map (fun a => z a * f a + entropy c (z a) + - (ln S) * z a) l) <= sum (map (fun a => c / S * exp (f a) + (-1) * z a) l)).
  { apply sum_le. intros a I. pose proof (Z a I) as Za. unfold entropy. pose proof (exp_pos (f a)) as E.
    assert (CS : 0 < c / S) by (apply Rdiv_lt_0_compat; lra).
    destruct (Rle_dec (z a) 0) as [L|L].
    - replace (z a) with 0 by lra. nra.
    - assert (P : 0 < c / S * exp (f a) / z a) by (apply Rdiv_lt_0_compat; [nra | lra]).
      pose proof (ln_le_minus _ P) as G. unfold Rdiv in G. rewrite !ln_mult, !ln_Rinv, ln_exp in G by (try apply Rinv_0_lt_compat; try apply Rmult_lt_0_compat; try apply Rinv_0_lt_compat; lra).
      unfold Rdiv at 1. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra).
      apply (Rmult_le_compat_l (z a)) in G; [|lra].
      replace (z a * (c * / S * exp (f a) * / z a - 1)) with (c / S * exp (f a) - z a) in G by (field; lra). lra. }
  rewrite !sum_plus, !sum_times, T in H. fold S in H. replace (c / S * S) with c in H by (field; lra). lra.
Qed.
Lemma entropy_nonneg z : z <= 1 -> 0 <= entropy 1 z.
Proof.
  intro Z. unfold entropy. destruct (Rle_dec z 0); [lra|]. replace (z / 1) with z by field.
  pose proof (ln_le_minus z ltac:(lra)). nra.
Qed.
Global Opaque exp_up ln_up lse_up entropy_down.
