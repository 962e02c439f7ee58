(* SPDX-License-Identifier: Apache-2.0 *)
(* What an average over gates u gives to sums, to products with half-spaces, and to pairs of these. *)
From Coq Require Import Reals List Lra.
From Fathom Require Import Numbers Statement Linear.
Import ListNotations.
Open Scope R_scope.

Lemma side_cases r u : side r u = 0 \/ side r u = 1.
Proof. unfold side. destruct (Rlt_dec 0 _); auto. Qed.
Lemma norm_one a : dot a a <= 1 -> norm a <= 1.
Proof. intro H. unfold norm. rewrite <- sqrt_1. now apply sqrt_le_1_alt. Qed.
Lemma angle_self x : 0 < dot x x -> acos (dot x x / (norm x * norm x)) = 0.
Proof. intro H. rewrite norm_square. unfold Rdiv. rewrite Rinv_r by lra. apply acos_1. Qed.

Section Means.
  Variables (rows : list row) (E : average rows).
  Definition has (f : vec -> R) (m : R) : Prop := integrable _ E f /\ mean _ E f = m.
  Lemma has_off f g m : has f m -> (forall u, off rows u -> f u = g u) -> has g m.
  Proof. intros (I & M) H. destruct (of_null _ E f g H I) as (J & N). split; [exact J | now rewrite N]. Qed.
  Lemma has_ext f g m : has f m -> (forall u, f u = g u) -> has g m.
  Proof. intros H G. apply (has_off f); auto. Qed.
  Lemma has_value f m k : has f m -> m = k -> has f k.
  Proof. now intros H <-. Qed.
  Lemma has_times t f m : has f m -> has (fun u => t * f u) (t * m).
  Proof. intros (I & M). destruct (of_multiple _ E t f I) as (J & N). split; [exact J|]. now rewrite N, M. Qed.
  Lemma has_plus f g m k : has f m -> has g k -> has (fun u => f u + g u) (m + k).
  Proof. intros (I & M) (J & N). destruct (of_sum _ E f g I J) as (K & S). split; [exact K|]. now rewrite S, M, N. Qed.
  Lemma has_constant t : has (fun _ => t) t.
  Proof. apply (has_value _ (t * 1)); [|ring]. apply (has_ext (fun _ => t * 1)); [|intro; ring]. apply has_times. exact (of_one _ E). Qed.
  Lemma has_sum {A} (f : A -> vec -> R) (m : A -> R) l : (forall a, In a l -> has (f a) (m a)) -> has (fun u => sum (map (fun a => f a u) l)) (sum (map m l)).
  Proof.
    induction l as [|a l IH]; intro H; [exact (has_constant 0)|]. apply (has_plus (f a) (fun u => sum (map (fun a => f a u) l))).
    - apply H. now left. - apply IH. intros. apply H. now right.
  Qed.
  Lemma has_row F m v : (forall s, In s rows -> has (F s) (m s)) ->
    has (fun u => sum (map (fun q : R * row => fst q * F (snd q) u) (combine v rows))) (sum (map (fun q : R * row => fst q * m (snd q)) (combine v rows))).
  Proof.
    intros H. apply (has_sum (fun q u => fst q * F (snd q) u) (fun q => fst q * m (snd q))). intros (t, s) I. cbn [fst snd]. apply has_times, H. eapply in_combine_r; eauto.
  Qed.
  Lemma has_unique f m k : has f m -> has f k -> m = k.
  Proof. now intros (_ & <-) (_ & <-). Qed.
  Lemma has_le f g m k : has f m -> has g k -> (forall u, off rows u -> f u <= g u) -> m <= k.
  Proof. intros (I & <-) (J & <-) H. now apply of_order. Qed.
  Lemma has_mirror f m : has f m -> has (fun u => f (times (-1) u)) m.
  Proof. intros (I & M). destruct (of_mirror _ E f I) as (J & N). split; [exact J | now rewrite N]. Qed.
  Lemma has_part r f : In r rows -> integrable _ E f -> has (fun u => side r u * f u) (mean _ E (fun u => side r u * f u)).
  Proof. intros R I. split; [|reflexivity]. now apply of_part. Qed.
  Lemma has_pair r s : In r rows -> In s rows -> 0 < dot (point r) (point r) -> 0 < dot (point s) (point s) -> has (fun u => side r u * side s u) (half r s).
  Proof.
    intros R S Pr Ps. split; [|now apply of_pair]. apply of_part; [exact R|].
    destruct (has_ext (fun u => side s u * 1) (side s) _ (has_part s _ S (proj1 (of_one _ E)))) as (I & _); [intro; ring | exact I].
  Qed.
  Lemma has_side r : In r rows -> 0 < dot (point r) (point r) -> has (side r) (1 / 2).
  Proof.
    intros R P. apply (has_value _ (half r r)).
    - apply (has_ext (fun u => side r u * side r u)); [now apply has_pair|]. intro u. destruct (side_cases r u) as [->| ->]; ring.
    - unfold half. rewrite angle_self by exact P. pose proof PI_RGT_0. field. lra.
  Qed.
  (* <x, z> times what two half-spaces have in common, zero rows included. *)
  Lemma has_dot_pair r s : In r rows -> In s rows ->
    has (fun u => dot (point r) (point s) * (side r u * side s u)) (dot (point r) (point s) * half r s).
  Proof.
    intros R S. pose proof (dot_self (point r)). pose proof (dot_self (point s)).
    destruct (Req_dec (dot (point r) (point r)) 0) as [Z|]; [|destruct (Req_dec (dot (point s) (point s)) 0) as [Z|]].
    - apply (has_value _ 0); [|rewrite (dot_null _ _ Z); ring]. apply (has_ext (fun _ => 0)); [apply has_constant|]. intro. rewrite (dot_null _ _ Z). ring.
    - apply (has_value _ 0); [|rewrite (dot_null_r _ _ Z); ring]. apply (has_ext (fun _ => 0)); [apply has_constant|]. intro. rewrite (dot_null_r _ _ Z). ring.
    - apply has_times, has_pair; auto; lra.
  Qed.
End Means.
