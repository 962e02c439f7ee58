(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker, and the theorem: what it accepts holds. *)
From Coq Require Import ZArith List String Ascii Bool.
From Fathom Require Import Numbers Text Data Statement Vectors Rows Sha256 Certificate Zero Matrix.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition is_free (c : context) : bool := match bias (from_source c) with Free => true | _ => false end.
Definition holds_of (c : context) (claimed : claim) : Prop :=
  claim_holds (is_free c) (Z.to_nat (columns (set c))) (gate_list c) (real_rows (gate_list c) 0 (rows (set c))) claimed.
(* What a claim's reader gives: the claim, bounds, weaknesses, units. *)
Record verdict := Verdict { claim_of : claim; top : option dyadic; bottom : option dyadic; weak : list Z; many_units : Z }.

Fixpoint triples_of (words : list string) (made : list (Z * Z * dyadic)) : result (list (Z * Z * dyadic)) :=
  match words with
  | [] => Good (rev' made)
  | a :: b :: m :: rest => do a <- index_of a; do b <- index_of b; do m <- number_of m; triples_of rest ((a, b, m) :: made)
  | _ => mismatch
  end.
Definition claim_zero (c : context) (l : lines) : result (verdict * lines) :=
  check negb (is_free c) else rejected, "this margin is one of networks without free biases";
  check signs (rows (set c)) else rejected, "the targets are not -1 and +1 in one column";
  do (words, l) <- line_of "pairs" l;
  match words with
  | count :: words =>
      do count <- index_of count;
      check 3 * count =? length_of words else rejected, "there are not so many pairs";
      do pairs <- triples_of words [];
      check check_zero (rows (set c)) pairs else rejected, "the pairs prove nothing";
      Good (Verdict ZeroMargin (Some dzero) (Some dzero) [] 0, l)
  | [] => mismatch
  end.

Definition claim_cone (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "cone" l;
  match words with
  | [kind; digits] =>
      check String.eqb kind "empty" || negb (String.eqb kind "point") else uncovered, "kind not covered: the dimension of a cone";
      check String.eqb kind "empty" else rejected, "a cone is empty, or has a point";
      do pattern <- pattern_of (row_count (set c)) digits;
      do (weights, l) <- numbers_line "weights" (row_count (set c)) l;
      check check_cone_empty (rows (set c)) pattern weights else rejected, "the weights prove nothing";
      Good (Verdict (EmptyCone pattern) (Some (dint (-1))) (Some (dint (-1))) [] 0, l)
  | _ => mismatch
  end.

Definition claim_spike (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "spike" l;
  match words with
  | [kind] =>
      check negb (String.eqb kind "free") else uncovered, "kind not covered: data that are spike-free";
      check String.eqb kind "shown" else rejected, "a spike is shown, or there is none";
      do (u, l) <- numbers_line "point" (columns (set c)) l;
      do (combination, l) <- numbers_line "combination" (row_count (set c)) l;
      match check_spike (rows (set c)) u combination with
      | Some least => Good (Verdict (SpikeShown least) (Some dzero) (Some dzero) [] 0, l)
      | None => Bad rejected "the point and the combination show no spike"
      end
  | _ => mismatch
  end.

Definition read_claim (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "claim" l;
  match words with
  | [kind] =>
      let exact_only := String.eqb kind "train" || String.eqb kind "margin" || String.eqb kind "spectrum" in
      check negb (exact_only && decimals (from_source c)) else rejected, "this claim is about doubles, not about decimals";
      if String.eqb kind "zero" then claim_zero c l
      else if String.eqb kind "cone" then claim_cone c l
      else if String.eqb kind "spike" then claim_spike c l
      else if existsb (String.eqb kind) ["train"; "margin"; "spectrum"; "cones"; "faces"]
      then Bad uncovered ("kind not covered: " ++ kind)
      else mismatch
  | _ => mismatch
  end.

Definition answer_of (c : context) (v : verdict) : answer :=
  Answer (Statement (file_hash c) (from_source c) (gate_list c) (claim_of v)) (set c) (top v) (bottom v) (weak v) (many_units v).
Fixpoint read_claims (fuel : lines) (c : context) (l : lines) (made : list answer) : result (list answer) :=
  match fuel with
  | [] => mismatch
  | _ :: fuel =>
      do (v, l) <- read_claim c l;
      let made := answer_of c v :: made in
      if next_is "claim" l then read_claims fuel c l made
      else match l with [[last]] => if String.eqb last "end" then Good (rev' made) else mismatch | _ => mismatch end
  end.
Definition checked (certificate data : string) : result (list answer) :=
  do l <- words_of certificate;
  do (c, l) <- read_context data l;
  read_claims l c l [].

(* --- the proof --- *)

Lemma bind_good {A B} (a : result A) (f : A -> result B) b : bind a f = Good b -> exists x, a = Good x /\ f x = Good b.
Proof. destruct a; simpl; [eauto | discriminate]. Qed.
Lemma need_good {A} h code why (f : unit -> result A) b : need h code why f = Good b -> h = true /\ f tt = Good b.
Proof. destruct h; simpl; [auto | discriminate]. Qed.
Ltac step := match goal with
  | H : bind _ _ = Good _ |- _ => apply bind_good in H; destruct H as (? & ? & H)
  | H : need _ _ _ _ = Good _ |- _ => apply need_good in H; destruct H as (? & H)
  | H : Bad _ _ = Good _ |- _ => discriminate H
  | H : mismatch = Good _ |- _ => discriminate H
  | H : Good _ = Good _ |- _ => injection H as H
  | H : (let '(_, _) := ?p in _) = Good _ |- _ => destruct p
  | H : match ?p with _ => _ end = Good _ |- _ => destruct p eqn:?
  end.
Ltac steps := repeat (step; try subst; cbn beta iota in *).

Lemma claim_zero_sound c l v rest : claim_zero c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_zero. intro H. steps. apply check_zero_sound with (1 := ltac:(eassumption)). Qed.
Lemma claim_cone_sound c l v rest : claim_cone c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_cone. intro H. steps. eapply check_cone_empty_sound. eassumption. Qed.
Lemma claim_spike_sound c l v rest : claim_spike c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_spike. intro H. steps. eapply check_spike_sound. eassumption. Qed.

Lemma read_claim_sound c l v rest : read_claim c l = Good (v, rest) -> holds_of c (claim_of v).
Proof.
  unfold read_claim. intro H. apply bind_good in H as ((words & m) & _ & H). destruct words as [|kind [|]]; try discriminate.
  apply need_good in H as (_ & H).
  destruct (String.eqb kind "zero"); [eapply claim_zero_sound; eassumption|].
  destruct (String.eqb kind "cone"); [eapply claim_cone_sound; eassumption|].
  destruct (String.eqb kind "spike"); [eapply claim_spike_sound; eassumption|].
  destruct (existsb _ _); discriminate.
Qed.

Definition meant (c : context) (a : answer) : Prop := exists v, a = answer_of c v /\ holds_of c (claim_of v).
Lemma read_claims_sound fuel c l made found : Forall (meant c) made -> read_claims fuel c l made = Good found -> Forall (meant c) found.
Proof.
  revert l made. induction fuel as [|f fuel IH]; intros l made F H; simpl in H; [discriminate|].
  apply bind_good in H as ((v & m) & R & H). apply read_claim_sound in R.
  assert (G : Forall (meant c) (answer_of c v :: made)) by (constructor; [exists v; auto | auto]).
  destruct (next_is "claim" m); [eauto|].
  assert (E : found = rev' (answer_of c v :: made)).
  { destruct m as [|[|w [|]] [|]]; try discriminate. destruct (String.eqb w "end"); [now injection H as <- | discriminate]. }
  subst found. unfold rev'. rewrite <- rev_alt. now apply Forall_rev.
Qed.

Lemma read_context_sound data l c rest : read_context data l = Good (c, rest) ->
  dataset_of (from_source c) data = Good (set c) /\ file_hash c = sha256 data.
Proof.
  unfold read_context. intro H. steps. simpl. split; [assumption|].
  match goal with L : read_layout _ _ = Good _ |- _ => unfold read_layout in L; steps end;
  match goal with E : String.eqb _ (sha256 data) = true |- _ => now apply String.eqb_eq in E end.
Qed.

(* Whatever is accepted holds, of the file with this hash. *)
Theorem accepted_holds certificate data answers : checked certificate data = Good answers ->
  forall a, In a answers -> hash (said a) = sha256 data /\ holds data (said a).
Proof.
  unfold checked. intro H. apply bind_good in H as (l & _ & H). apply bind_good in H as ((c & m) & C & H).
  apply read_context_sound in C as [D S]. apply read_claims_sound in H; [|constructor].
  intros a A. rewrite Forall_forall in H. destruct (H a A) as (v & -> & V). split; [exact S|].
  exists (set c). split; [exact D | exact V].
Qed.
