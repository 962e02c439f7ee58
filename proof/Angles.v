(* SPDX-License-Identifier: Apache-2.0 *)
(* Angles as parts of a turn, by doubling: acos(c) / pi is half of acos(2 c^2 - 1) / pi where c >= 0, and 1 less that where c <= 0. *)
From Coq Require Import ZArith Reals Ratan List Lra Lia Bool.
From Fathom Require Import Numbers Statement Linear Vectors.
Import ListNotations.

Definition doubled (t : dyadic) : dyadic := dsub (dmul (dint 2) (dmul t t)) done.
Definition doubled_up (t : dyadic) : dyadic := dtrim_up 300 (doubled t).
Definition doubled_down (t : dyadic) : dyadic := dneg (dtrim_up 300 (dneg (doubled t))).
(* What acos(c) / pi lies between, for low <= c <= high. *)
Fixpoint half_turns (steps : nat) (low high : dyadic) : dyadic * dyadic :=
  match steps with
  | O => (dzero, done)
  | S steps =>
      if dle dzero low then let '(a, b) := half_turns steps (doubled_down low) (doubled_up high) in (dhalf a, dhalf b)
      else if dle high dzero then
        let '(a, b) := half_turns steps (doubled_down high) (doubled_up low) in (dsub done (dhalf b), dsub done (dhalf a))
      else (dzero, done)
  end.
(* The angle of two vectors over 2 pi, from their products; a little wider than it need be, so that no end is taken. *)
Definition slack : dyadic := Dy 1 (-120).
Definition turn_between (ab aa bb : dyadic) : dyadic * dyadic :=
  let square := dmul (dint 2) (dmul ab ab) in
  let '(a, b) := half_turns 140 (dsub (ddiv_down square (dmul aa bb)) done) (dsub (ddiv_up square (dmul aa bb)) done) in
  let '(a, b) := if dle dzero ab then (dhalf a, dhalf b) else (dsub done (dhalf b), dsub done (dhalf a)) in
  (dsub (dhalf a) slack, dadd (dhalf b) slack).

Open Scope R_scope.
Definition angle (a b : vec) : R := acos (dot a b / (norm a * norm b)).
Lemma acos_double c : 0 <= c <= 1 -> acos (2 * (c * c) - 1) = 2 * acos c.
Proof.
  intro H. pose proof (acos_bound c) as B. assert (L : acos c <= PI / 2).
  { destruct (Rle_dec (acos c) (PI / 2)); auto. exfalso. pose proof (cos_lt_0 (acos c)) as G. rewrite cos_acos in G by lra. lra. }
  rewrite <- (cos_acos c) at 1 2 by lra. replace (2 * (cos (acos c) * cos (acos c)) - 1) with (cos (2 * acos c)) by (rewrite cos_2a_cos; ring).
  apply acos_cos. lra.
Qed.
Lemma acos_double_neg c : -1 <= c <= 0 -> acos (2 * (c * c) - 1) = 2 * PI - 2 * acos c.
Proof. intro H. replace (c * c) with (- c * - c) by ring. rewrite acos_double by lra. rewrite acos_opp. ring. Qed.

Lemma doubled_val t : val (doubled t) = 2 * (val t * val t) - 1.
Proof. unfold doubled. now rewrite val_sub, !val_mul, val_int, val_one. Qed.
Lemma doubled_up_spec t : 2 * (val t * val t) - 1 <= val (doubled_up t).
Proof. rewrite <- doubled_val. apply dtrim_up_spec. Qed.
Lemma doubled_down_spec t : val (doubled_down t) <= 2 * (val t * val t) - 1.
Proof. unfold doubled_down. rewrite val_neg. pose proof (dtrim_up_spec 300 (dneg (doubled t))) as H. rewrite val_neg, doubled_val in H. lra. Qed.

Lemma part_of_turn t : 0 <= t <= PI -> 0 <= t / PI <= 1.
Proof.
  pose proof PI_RGT_0. intro H0. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
  apply Rmult_le_reg_r with PI; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma half_turns_spec steps : forall low high c, -1 <= c <= 1 -> val low <= c <= val high ->
  val (fst (half_turns steps low high)) <= acos c / PI <= val (snd (half_turns steps low high)).
Proof.
  pose proof PI_RGT_0 as P.
  induction steps as [|steps IH]; intros low high c C B; cbn [half_turns].
  - cbn [fst snd]. rewrite val_zero, val_one. apply part_of_turn, acos_bound.
  - destruct (dle dzero low) eqn:L; [|destruct (dle high dzero) eqn:H].
    + rewrite dle_spec, val_zero in L. specialize (IH (doubled_down low) (doubled_up high) (2 * (c * c) - 1)).
      pose proof (doubled_down_spec low). pose proof (doubled_up_spec high).
      destruct (half_turns steps _ _) as (a, b). cbn [fst snd] in *. rewrite !val_half.
      rewrite acos_double in IH by lra. replace (acos c / PI) with (2 * acos c / PI / 2) by (field; lra).
      assert (val a <= 2 * acos c / PI <= val b) by (apply IH; nra). lra.
    + rewrite dle_spec, val_zero in H. specialize (IH (doubled_down high) (doubled_up low) (2 * (c * c) - 1)).
      pose proof (doubled_down_spec high). pose proof (doubled_up_spec low).
      destruct (half_turns steps _ _) as (a, b). cbn [fst snd] in *. rewrite !val_sub, !val_half, !val_one.
      rewrite acos_double_neg in IH by lra. replace (acos c / PI) with (1 - (2 * PI - 2 * acos c) / PI / 2) by (field; lra).
      assert (val a <= (2 * PI - 2 * acos c) / PI <= val b) by (apply IH; nra). lra.
    + cbn [fst snd]. rewrite val_zero, val_one. apply part_of_turn, acos_bound.
Qed.

Lemma slack_pos : 0 < val slack.
Proof. apply mantissa_pos. reflexivity. Qed.
Theorem turn_between_spec a b : 0 < dot (vals a) (vals a) -> 0 < dot (vals b) (vals b) ->
  val (fst (turn_between (ddot a b) (ddot a a) (ddot b b))) <= angle (vals a) (vals b) / (2 * PI) <=
  val (snd (turn_between (ddot a b) (ddot a a) (ddot b b))).
Proof.
  intros A B. pose proof PI_RGT_0 as P. pose proof slack_pos as S. unfold turn_between, angle.
  set (x := vals a) in *. set (y := vals b) in *. set (c := dot x y / (norm x * norm y)).
  assert (Nx : 0 < norm x) by (now apply sqrt_lt_R0). assert (Ny : 0 < norm y) by (now apply sqrt_lt_R0).
  assert (Np : 0 < norm x * norm y) by nra.
  assert (Q : c * c = dot x y * dot x y / (dot x x * dot y y)).
  { unfold c. rewrite <- (norm_square x), <- (norm_square y). field. lra. }
  assert (Dp : 0 < dot x x * dot y y) by nra.
  assert (C1 : c * c <= 1).
  { rewrite Q. apply Rmult_le_reg_r with (dot x x * dot y y); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. pose proof (cauchy_schwarz x y). lra. }
  assert (C : -1 <= c <= 1) by nra.
  assert (Sg : dot x y = c * (norm x * norm y)) by (unfold c; field; lra).
  set (square := dmul (dint 2) (dmul (ddot a b) (ddot a b))). set (prod := dmul (ddot a a) (ddot b b)).
  assert (Vp : val prod = dot x x * dot y y) by (unfold prod; now rewrite val_mul, !val_dot).
  assert (Vs : val square / val prod = 2 * (c * c)).
  { rewrite Vp. unfold square. rewrite !val_mul, val_int, !val_dot. fold x y. rewrite Q. field. split; lra. }
  assert (Pp : 0 < val prod) by (rewrite Vp; lra).
  pose proof (ddiv_down_spec square prod Pp) as D. pose proof (ddiv_up_spec square prod Pp) as U. rewrite Vs in D, U.
  pose proof (half_turns_spec 140 (dsub (ddiv_down square prod) done) (dsub (ddiv_up square prod) done) (2 * (c * c) - 1)) as H.
  rewrite !val_sub, val_one in H. specialize (H ltac:(nra) ltac:(lra)).
  destruct (half_turns 140 _ _) as (l, h). cbn [fst snd] in H.
  destruct (dle dzero (ddot a b)) eqn:E; cbn [fst snd]; rewrite val_sub, val_add, !val_half, ?val_sub, ?val_half, ?val_one.
  - rewrite dle_spec, val_zero, val_dot in E. fold x y in E. assert (0 <= c) by (destruct (Rle_dec 0 c); auto; exfalso; nra).
    rewrite acos_double in H by lra. replace (acos c / (2 * PI)) with (2 * acos c / PI / 2 / 2) by (field; lra). lra.
  - assert (c <= 0).
    { destruct (Rle_dec c 0); auto. exfalso. assert (dle dzero (ddot a b) = true); [|congruence]. apply dle_spec. rewrite val_zero, val_dot. fold x y. nra. }
    rewrite acos_double_neg in H by lra. replace (acos c / (2 * PI)) with ((1 - (2 * PI - 2 * acos c) / PI / 2) / 2) by (field; lra). lra.
Qed.
