(* SPDX-License-Identifier: Apache-2.0 *)
(* Sums, inner products and Cauchy-Schwarz. *)
From Coq Require Import Reals List Lra Lia Psatz.
From Fathom Require Import Numbers Statement.
Import ListNotations.
Open Scope R_scope.

Lemma sum_plus {A} (f g : A -> R) l : sum (map (fun a => f a + g a) l) = sum (map f l) + sum (map g l).
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_times {A} t (f : A -> R) l : sum (map (fun a => t * f a) l) = t * sum (map f l).
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_zero {A} (l : list A) : sum (map (fun _ => 0) l) = 0.
Proof. induction l as [|a l IH]; simpl; lra. Qed.
Lemma sum_ext {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> sum (map f l) = sum (map g l).
Proof. induction l as [|a l IH]; simpl; intro H; [reflexivity|]. rewrite (H a), IH; auto. Qed.
Lemma sum_le {A} (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> sum (map f l) <= sum (map g l).
Proof. induction l as [|a l IH]; simpl; intro H; [lra|]. apply Rplus_le_compat; [apply H | apply IH]; auto. Qed.
Lemma sum_nonneg {A} (f : A -> R) l : (forall a, In a l -> 0 <= f a) -> 0 <= sum (map f l).
Proof. intro H. rewrite <- (sum_zero l). now apply sum_le. Qed.
Lemma sum_swap {A B} (f : A -> B -> R) l m :
  sum (map (fun a => sum (map (f a) m)) l) = sum (map (fun b => sum (map (fun a => f a b) l)) m).
Proof.
  induction l as [|a l IH]; simpl.
  - now rewrite sum_zero.
  - rewrite IH, <- sum_plus. apply sum_ext. reflexivity.
Qed.
Lemma sum_pos {A} (f : A -> R) l : l <> [] -> (forall a, In a l -> 0 < f a) -> 0 < sum (map f l).
Proof.
  destruct l as [|a l]; [congruence|]. intros _ H. simpl. apply Rplus_lt_le_0_compat; [apply H; now left|].
  apply sum_nonneg. intros b B. apply Rlt_le, H. now right.
Qed.

Lemma dot_nil_r a : dot a [] = 0.
Proof. now destruct a. Qed.
Lemma dot_comm a b : dot a b = dot b a.
Proof. revert b. induction a as [|p a IH]; intros [|q b]; simpl; auto. rewrite IH. lra. Qed.
Lemma dot_plus a b c : dot (plus a b) c = dot a c + dot b c.
Proof.
  revert b c. induction a as [|p a IH]; intros b c; simpl; [lra|].
  destruct b as [|q b]; [simpl; lra|]. destruct c as [|r c]; simpl; [lra|]. rewrite IH. lra.
Qed.
Lemma dot_times t a b : dot (times t a) b = t * dot a b.
Proof. revert b. induction a as [|p a IH]; intros [|q b]; simpl; try lra. unfold times in IH. rewrite IH. lra. Qed.
Lemma dot_plus_r a b c : dot c (plus a b) = dot c a + dot c b.
Proof. now rewrite dot_comm, dot_plus, !(dot_comm c). Qed.
Lemma dot_times_r t a b : dot b (times t a) = t * dot b a.
Proof. now rewrite dot_comm, dot_times, (dot_comm b). Qed.
Lemma dot_total l c : dot (total l) c = sum (map (fun a => dot a c) l).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite dot_plus, IH. Qed.
Lemma dot_total_r l c : dot c (total l) = sum (map (dot c) l).
Proof. rewrite dot_comm, dot_total. apply sum_ext. intros. apply dot_comm. Qed.
Lemma dot_self a : 0 <= dot a a.
Proof. induction a as [|p a IH]; simpl; [lra|]. nra. Qed.

(* A form that is nowhere negative. *)
Lemma discriminant A B C : (forall t, 0 <= A + 2 * t * B + t * t * C) -> B * B <= A * C.
Proof.
  intro H. destruct (Req_dec C 0) as [Z|Z].
  - destruct (Req_dec B 0) as [->|N]; [rewrite Z; lra|]. exfalso.
    pose proof (H (- (A + 1) / (2 * B))) as G. rewrite Z in G.
    replace (A + 2 * (- (A + 1) / (2 * B)) * B + - (A + 1) / (2 * B) * (- (A + 1) / (2 * B)) * 0) with (-1) in G by (field; auto). lra.
  - assert (P : 0 < C).
    { destruct (Rlt_dec 0 C); auto. exfalso. assert (C < 0) by lra.
      pose proof (H 0). pose proof (H (1 + (Rabs A + 2 * Rabs B) / - C)) as G.
      set (t := 1 + (Rabs A + 2 * Rabs B) / - C) in *.
      assert (T : t * - C = - C + (Rabs A + 2 * Rabs B)) by (unfold t; field; lra).
      pose proof (Rabs_pos A). pose proof (Rabs_pos B). pose proof (Rle_abs A). pose proof (Rle_abs B).
      assert (1 <= t) by (unfold t; assert (0 <= (Rabs A + 2 * Rabs B) / - C) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]); lra).
      assert (t * t * C <= - t * (Rabs A + 2 * Rabs B) + t * C) by nra.
      nra. }
    pose proof (H (- B / C)) as G.
    assert (E : (A + 2 * (- B / C) * B + - B / C * (- B / C) * C) * C = A * C - B * B) by (field; auto).
    assert (0 <= (A + 2 * (- B / C) * B + - B / C * (- B / C) * C) * C) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma cauchy_schwarz a b : dot a b * dot a b <= dot a a * dot b b.
Proof.
  apply discriminant. intro t. pose proof (dot_self (plus a (times t b))) as H.
  rewrite !dot_plus, !dot_plus_r, !dot_times, !dot_times_r, (dot_comm b a) in H. lra.
Qed.
Lemma norm_nonneg a : 0 <= norm a.
Proof. apply sqrt_pos. Qed.
Lemma norm_square a : norm a * norm a = dot a a.
Proof. apply sqrt_sqrt, dot_self. Qed.
Lemma square_le a b : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros. destruct (Rle_dec a b); auto. nra. Qed.
Lemma dot_norm a b : dot a b <= norm a * norm b.
Proof.
  apply square_le. { apply Rmult_le_pos; apply norm_nonneg. }
  replace (norm a * norm b * (norm a * norm b)) with (norm a * norm a * (norm b * norm b)) by ring.
  rewrite !norm_square. apply cauchy_schwarz.
Qed.
(* What vanishes has no inner products. *)
Lemma dot_null z u : dot z z = 0 -> dot z u = 0.
Proof. intro H. pose proof (cauchy_schwarz z u). rewrite H in *. nra. Qed.
(* Equality in Cauchy-Schwarz: b is a multiple of a. *)
Lemma parallel a b : 0 < dot a a -> dot a b * dot a b = dot a a * dot b b ->
  forall u, dot b u = dot a b / dot a a * dot a u.
Proof.
  intros A E u. set (t := dot a b / dot a a).
  assert (Z : dot (plus b (times (- t) a)) (plus b (times (- t) a)) = 0).
  { rewrite !dot_plus, !dot_plus_r, !dot_times, !dot_times_r, (dot_comm b a). 
    assert (T : t * dot a a = dot a b) by (unfold t; field; lra).
    clearbody t. assert (B : dot b b = t * t * dot a a).
    { apply Rmult_eq_reg_l with (dot a a); [|lra]. rewrite <- E, <- T. ring. }
    rewrite B, <- T. ring. }
  pose proof (dot_null _ u Z) as G. rewrite dot_plus, dot_times in G. lra.
Qed.

Lemma dot_null_r z u : dot z z = 0 -> dot u z = 0.
Proof. intro H. rewrite (dot_comm u z). now apply dot_null. Qed.

Lemma relu_scale t a : 0 <= t -> relu (t * a) = t * relu a.
Proof. intro H. unfold relu, Rmax. destruct (Rle_dec 0 (t * a)), (Rle_dec 0 a); nra. Qed.
Lemma relu_odd a : relu a - relu (- a) = a.
Proof. unfold relu, Rmax. destruct (Rle_dec 0 a), (Rle_dec 0 (- a)); lra. Qed.
Lemma relu_nonneg a : 0 <= relu a.
Proof. apply Rmax_l. Qed.
