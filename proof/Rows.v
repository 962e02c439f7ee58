(* SPDX-License-Identifier: Apache-2.0 *)
(* The rows of a data set as dyadic numbers and as reals. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors.
Import ListNotations.

Fixpoint znth {A} (k : Z) (l : list A) : option A :=
  match l with [] => None | a :: rest => if Z.eqb k 0 then Some a else znth (k - 1)%Z rest end.
Lemma znth_in {A} k (l : list A) a : znth k l = Some a -> In a l.
Proof.
  revert k. induction l as [|b l IH]; intros k; simpl; [discriminate|].
  destruct (Z.eqb k 0); [intros [= ->]; now left | intro H; right; eauto].
Qed.

(* r is the real row of p. *)
Definition is_row (p : drow) (r : row) : Prop :=
  point r = vals (dpoint p) /\ target r = vals (dtarget p) /\ weight r = val (dweight p).
Lemma real_rows_forall g i l : Forall2 is_row l (real_rows g i l).
Proof. revert i. induction l as [|p l IH]; intro i; simpl; constructor; auto. now repeat split. Qed.
Lemma real_row_in g i l p : In p l -> exists r, In r (real_rows g i l) /\ is_row p r.
Proof.
  pose proof (real_rows_forall g i l) as F. induction F as [|q r l m H F IH]; simpl; [tauto|].
  intros [->|I]; [exists r; auto|]. destruct (IH I) as (s & S & T). exists s; auto.
Qed.
Lemma row_real_in g i l r : In r (real_rows g i l) -> exists p, In p l /\ is_row p r.
Proof.
  pose proof (real_rows_forall g i l) as F. induction F as [|q s l m H F IH]; simpl; [tauto|].
  intros [->|I]; [exists q; auto|]. destruct (IH I) as (t & S & T). exists t; auto.
Qed.

(* Targets -1 and +1 in one column. *)
Definition is_sign (t : list dyadic) : bool :=
  match t with [a] => orb (deq a done) (deq a (dint (-1))) | _ => false end.
Definition signs (rows : list drow) : bool := forallb (fun r => is_sign (dtarget r)) rows.

Open Scope R_scope.
Lemma is_sign_spec t : is_sign t = true -> exists y, vals t = [y] /\ (y = 1 \/ y = -1).
Proof.
  destruct t as [|a [|b t]]; simpl; try discriminate. rewrite orb_true_iff, !deq_spec, val_one, val_int.
  intro H. exists (val a). auto.
Qed.
Lemma signs_spec g i rows r : signs rows = true -> In r (real_rows g i rows) -> exists y, target r = [y] /\ (y = 1 \/ y = -1).
Proof.
  intros H I. apply row_real_in in I. destruct I as (p & P & _ & T & _). unfold signs in H. rewrite forallb_forall in H.
  rewrite T. apply is_sign_spec. auto.
Qed.
