(* SPDX-License-Identifier: Apache-2.0 *)
(* Vectors of dyadic numbers, and that their values are those of the real ones. *)
From Coq Require Import ZArith Reals List Lra Bool.
From Fathom Require Import Numbers Statement Linear.
Import ListNotations.

Fixpoint dplus (a b : list dyadic) : list dyadic :=
  match a, b with [], _ => b | _, [] => a | p :: a, q :: b => dadd p q :: dplus a b end.
Definition dtimes (t : dyadic) (a : list dyadic) : list dyadic := map (dmul t) a.
Fixpoint ddot_onto (a b : list dyadic) (s : dyadic) : dyadic :=
  match a, b with p :: a, q :: b => ddot_onto a b (dadd s (dmul p q)) | _, _ => s end.
Definition ddot (a b : list dyadic) : dyadic := ddot_onto a b dzero.
Definition dsum (l : list dyadic) : dyadic := fold_left dadd l dzero.
Definition dtotal (l : list (list dyadic)) : list dyadic := fold_left dplus l [].
Definition dnull (a : list dyadic) : bool := forallb (fun p => Z.eqb (mantissa p) 0) a.

Open Scope R_scope.
Definition vals := map val.
Lemma vals_plus a b : vals (dplus a b) = plus (vals a) (vals b).
Proof. revert b. induction a as [|p a IH]; intros [|q b]; simpl; auto. now rewrite val_add, IH. Qed.
Lemma vals_times t a : vals (dtimes t a) = times (val t) (vals a).
Proof. unfold vals, dtimes, times. rewrite !map_map. apply map_ext. intro. apply val_mul. Qed.
Lemma val_dot a b : val (ddot a b) = dot (vals a) (vals b).
Proof.
  assert (G : forall a b s, val (ddot_onto a b s) = val s + dot (vals a) (vals b)).
  { clear. induction a as [|p a IH]; intros [|q b] s; simpl; try lra. rewrite IH, val_add, val_mul. lra. }
  unfold ddot. rewrite G, val_zero. lra.
Qed.
Lemma val_sum l : val (dsum l) = sum (vals l).
Proof.
  assert (G : forall l s, val (fold_left dadd l s) = val s + sum (vals l)).
  { clear. induction l as [|p l IH]; intro s; simpl; [lra|]. rewrite IH, val_add. lra. }
  unfold dsum. rewrite G, val_zero. lra.
Qed.
Lemma dot_dtotal l u : dot (vals (dtotal l)) u = sum (map (fun a => dot (vals a) u) l).
Proof.
  assert (G : forall l s, dot (vals (fold_left dplus l s)) u = dot (vals s) u + sum (map (fun a => dot (vals a) u) l)).
  { clear. induction l as [|p l IH]; intro s; simpl; [lra|]. rewrite IH, vals_plus, dot_plus. lra. }
  unfold dtotal. rewrite G. simpl. lra.
Qed.
Lemma dnull_spec a u : dnull a = true -> dot (vals a) u = 0.
Proof.
  revert u. induction a as [|p a IH]; intros [|q u]; simpl; auto. rewrite andb_true_iff, Z.eqb_eq. intros [H G].
  apply mantissa_zero in H. rewrite H, IH by assumption. lra.
Qed.
Lemma dnorm_spec a : sqrt (dot (vals a) (vals a)) <= val (dsqrt_up (ddot a a)).
Proof. rewrite <- val_dot. apply dsqrt_up_spec. rewrite val_dot. apply dot_self. Qed.
Lemma vals_length a : List.length (vals a) = List.length a.
Proof. apply map_length. Qed.
Lemma vals_nth k a : nth k (vals a) 0 = val (nth k a dzero).
Proof. rewrite <- val_zero. unfold vals. now rewrite map_nth. Qed.
