(* SPDX-License-Identifier: Apache-2.0 *)
(* All sets {i : <x_i, u> > 0}, points u on hyperplanes included (docs/reference/certificate.md, Section 4). Rows are taken one after the other, each on both sides.
   Where no listed set goes on, weights show that no point does [Motzkin]: those of a linear program, of which nothing is proved, as they are
   checked. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Cones.
Import ListNotations.

(* --- weights l >= 0 with sum of s_i l_i x_i = 0 and sum over marked rows of l_i = 1: simplex, by Bland's rule, in integers over one denominator --- *)

Fixpoint zip (f : Z -> Z -> Z) (a b : list Z) : list Z :=
  match a, b with p :: a, q :: b => f p q :: zip f a b | _, _ => [] end.
Fixpoint first_positive (k : nat) (l : list Z) : option nat :=
  match l with [] => None | a :: l => if (0 <? a)%Z then Some k else first_positive (S k) l end.
(* Of a row the variable that it gives, and its right side before its entries. *)
Definition entry_of (j : nat) (r : nat * list Z) : Z := nth j (tl (snd r)) 0%Z.
Definition sooner (j : nat) (a b : nat * list Z) : bool :=
  match (hd 0 (snd a) * entry_of j b ?= hd 0 (snd b) * entry_of j a)%Z with Lt => true | Eq => Nat.ltb (fst a) (fst b) | Gt => false end.
Fixpoint leaving (j : nat) (rows : list (nat * list Z)) (best : option (nat * list Z)) : option (nat * list Z) :=
  match rows with
  | [] => best
  | r :: rows => leaving j rows (if (0 <? entry_of j r)%Z
                                 then match best with Some b => if sooner j r b then Some r else best | None => Some r end else best)
  end.
Fixpoint simplex (fuel n : nat) (D : Z) (rows : list (nat * list Z)) : list (nat * list Z) :=
  match fuel with
  | O => rows
  | S fuel =>
      let costs := fold_left (zip Z.add) (map (fun r => tl (snd r)) (filter (fun r => Nat.leb n (fst r)) rows)) (repeat 0%Z n) in
      match first_positive 0 costs with
      | None => rows
      | Some j =>
          match leaving j rows None with
          | None => rows
          | Some (k, pivot) =>
              let p := nth j (tl pivot) 0%Z in
              simplex fuel n p (map (fun r => if Nat.eqb (fst r) k then (j, pivot)
                                              else (fst r, zip (fun a b => ((p * a - entry_of j r * b) / D)%Z) (snd r) pivot)) rows)
          end
      end
  end.
Definition weights_of (d : nat) (l : list (list Z * bool)) : list Z :=
  let n := length l in
  let start := map (fun k => ((n + k)%nat, 0%Z :: map (fun p : list Z * bool => let t := nth k (fst p) 0%Z in if snd p then t else (- t)%Z) l)) (seq 0 d) ++
               [((n + d)%nat, 1%Z :: map (fun p : list Z * bool => if snd p then 1%Z else 0%Z) l)] in
  let found := simplex (20 * (n + d)) n 1 start in
  map (fun i => match find (fun r => Nat.eqb (fst r) i) found with Some r => hd 0%Z (snd r) | None => 0%Z end) (seq 0 n).

(* --- the check --- *)

Definition summed (l : list (list Z * bool)) (w : list Z) : list Z :=
  fold_left (fun s (p : list Z * bool * Z) => Cones.combined 1 s (if snd (fst p) then snd p else (- snd p)%Z) (fst (fst p))) (combine l w) [].
Definition vacant (l : list (list Z * bool)) (w : list Z) : bool :=
  forallb (fun t => (0 <=? t)%Z) w && existsb (fun p : list Z * bool * Z => snd (fst p) && (0 <? snd p)%Z) (combine l w) && zero_row (summed l w).
Fixpoint covers (d : nat) (before : list (list Z * bool)) (rest : list (list Z)) (sets : list (list bool)) : bool :=
  match rest with
  | [] => match sets with [] => false | _ => true end
  | x :: rest =>
      let side s := match filter (fun p => eqb (hd false p) s) sets with
                    | [] => let l := (x, s) :: before in vacant l (weights_of d l)
                    | agree => covers d ((x, s) :: before) rest (map (@tl bool) agree)
                    end in
      side true && side false
  end.
Definition check_faces (d : nat) (g : gates) (rows : list drow) : bool :=
  match g with
  | Orientations l =>
      let xs := map dpoint rows in
      let sets := map (fun v => map (dlt dzero) (map (fun x => ddot x v) xs)) l in
      distinct (length xs) sets && covers d [] (map (fun x => primitive (whole_row x)) xs) sets
  | Patterns _ => false
  end.

(* --- proofs --- *)
Open Scope R_scope.

Definition agrees (u : vec) (p : list Z * bool) : Prop := if snd p then 0 < zdot (fst p) u else zdot (fst p) u <= 0.
Lemma summed_spec u l w : zdot (summed l w) u = sum (map (fun p : list Z * bool * Z => (if snd (fst p) then IZR (snd p) else - IZR (snd p)) * zdot (fst (fst p)) u) (combine l w)).
Proof.
  unfold summed. assert (G : forall c s, zdot (fold_left (fun s (p : list Z * bool * Z) => Cones.combined 1 s (if snd (fst p) then snd p else (- snd p)%Z) (fst (fst p))) c s) u =
    zdot s u + sum (map (fun p : list Z * bool * Z => (if snd (fst p) then IZR (snd p) else - IZR (snd p)) * zdot (fst (fst p)) u) c)).
  { induction c as [|p c IH]; intro s; simpl; [ring|]. rewrite IH, zdot_combined. destruct (snd (fst p)); rewrite ?opp_IZR; ring. }
  rewrite G. unfold zdot at 1. simpl. ring.
Qed.
Lemma vacant_spec l w u : vacant l w = true -> ~ forall p, In p l -> agrees u p.
Proof.
  unfold vacant. rewrite !andb_true_iff, forallb_forall. intros ((P & M) & Zr) H.
  pose proof (zdot_zero _ u Zr) as D. rewrite summed_spec in D. apply existsb_exists in M as (q & Q & M). apply andb_true_iff in M as (Mq & Wq). apply Z.ltb_lt in Wq.
  assert (T : forall p, In p (combine l w) -> 0 <= (if snd (fst p) then IZR (snd p) else - IZR (snd p)) * zdot (fst (fst p)) u).
  { intros ((x, s), t) I. pose proof (H _ (in_combine_l _ _ _ _ I)) as A. specialize (P _ (in_combine_r _ _ _ _ I)). apply Z.leb_le, IZR_le in P.
    unfold agrees in A. simpl in *. destruct s; nra. }
  assert (S : 0 < (if snd (fst q) then IZR (snd q) else - IZR (snd q)) * zdot (fst (fst q)) u).
  { destruct q as ((x, s), t). pose proof (H _ (in_combine_l _ _ _ _ Q)) as A. unfold agrees in A. simpl in *. subst s. apply IZR_lt in Wq. nra. }
  assert (G : forall c, In q c -> (forall p, In p c -> 0 <= (if snd (fst p) then IZR (snd p) else - IZR (snd p)) * zdot (fst (fst p)) u) ->
    0 < sum (map (fun p : list Z * bool * Z => (if snd (fst p) then IZR (snd p) else - IZR (snd p)) * zdot (fst (fst p)) u) c)).
  { clear -S. induction c as [|p c IH]; [intros []|]. intros [<-|I] F; cbn [map sum fold_right].
    - pose proof (sum_nonneg _ c (fun p Hp => F p (or_intror Hp))) as N. unfold sum in N. lra.
    - pose proof (F p (or_introl eq_refl)). specialize (IH I (fun p Hp => F p (or_intror Hp))). unfold sum in IH. lra. }
  specialize (G _ Q T). lra.
Qed.

Fixpoint fits (u : vec) (xs : list (list Z)) (p : list bool) : Prop :=
  match xs with [] => True | x :: xs => (hd false p = true <-> 0 < zdot x u) /\ fits u xs (tl p) end.
Lemma covers_spec d u : forall rest before sets, covers d before rest sets = true -> (forall p, In p before -> agrees u p) -> exists p, In p sets /\ fits u rest p.
Proof.
  induction rest as [|x rest IH]; intros before sets H B.
  - simpl in H. destruct sets as [|p sets]; [discriminate|]. exists p. simpl. auto.
  - assert (Side : forall s, agrees u (x, s) -> match filter (fun p => eqb (hd false p) s) sets with
        | [] => vacant ((x, s) :: before) (weights_of d ((x, s) :: before))
        | agree => covers d ((x, s) :: before) rest (map (@tl bool) agree) end = true -> (s = true <-> 0 < zdot x u) -> exists p, In p sets /\ fits u (x :: rest) p).
    { intros s A K E. assert (B' : forall p, In p ((x, s) :: before) -> agrees u p) by (intros p [<-|I]; auto).
      destruct (filter (fun p => eqb (hd false p) s) sets) as [|q agree] eqn:F; [destruct (vacant_spec _ _ _ K B')|]. rewrite <- F in K.
      destruct (IH _ _ K B') as (p & P & Fp). apply in_map_iff in P as (p' & <- & P). apply filter_In in P as (P & Hp). apply eqb_prop in Hp.
      exists p'. split; [exact P|]. simpl. rewrite Hp. auto. }
    cbn [covers] in H. apply andb_true_iff in H as (Ht & Hf).
    destruct (Rlt_dec 0 (zdot x u)) as [L|L]; [apply (Side true) | apply (Side false)]; auto; try (unfold agrees; simpl; lra); try tauto.
Qed.

Lemma row_positive x u : 0 < zdot (primitive (whole_row x)) u <-> 0 < dot (vals x) u.
Proof.
  destruct (whole_row_spec x) as (c & Cp & Q). destruct (primitive_spec (whole_row x)) as (e & Ep & Q2). rewrite Q, Q2.
  assert (0 < c * e) by nra. split; intro; [|destruct (Rlt_dec 0 (zdot (primitive (whole_row x)) u)); auto; exfalso]; nra.
Qed.
Lemma fits_pattern u v xs : fits u (map (fun x => primitive (whole_row x)) xs) (pattern_of_point xs v) -> forall x, In x xs -> (0 < dot (vals x) v <-> 0 < dot (vals x) u).
Proof.
  unfold pattern_of_point. induction xs as [|y xs IH]; simpl; [tauto|]. intros (H & F) x [<-|I]; [|now apply IH].
  rewrite <- (row_positive y u), <- H. destruct (Rlt_dec 0 (dot (vals y) v)); split; intro; try discriminate; try contradiction; auto.
Qed.
Theorem check_faces_sound d0 g rows : check_faces d0 g rows = true -> forall free d, claim_holds free d g (real_rows g 0 rows) (Faces (gate_count g)).
Proof.
  destruct g as [l|l]; [|discriminate]. unfold check_faces. set (xs := map dpoint rows). set (sets := map _ l). intros H free d.
  apply andb_true_iff in H as (Di & Co). apply distinct_spec in Di. cbn [claim_holds gate_count].
  assert (Ls : length sets = length l) by (unfold sets; now rewrite map_length).
  assert (Pk : forall k, (k < length l)%nat -> nth k sets [] = pattern_of_point xs (vals (nth k l []))).
  { intros k K. unfold sets. rewrite (nth_indep _ _ (map (dlt dzero) (map (fun x => ddot x []) xs))) by (now rewrite map_length).
    rewrite (map_nth (fun v => map (dlt dzero) (map (fun x => ddot x v) xs))). apply pattern_dlt. }
  split; [reflexivity|]. split; [|split].
  - intros j J. exists (vals (nth j l [])). split; [exact I|]. intros r Ir. eapply opens_orientation; eauto.
  - intros i j (I & J). assert (D : nth i sets [] <> nth j sets []). { intro E. apply (proj1 (NoDup_nth sets []) Di) in E; lia. }
    rewrite !Pk in D by lia.
    assert (Ex : exists x, In x xs /\ ~ (0 < dot (vals x) (vals (nth i l [])) <-> 0 < dot (vals x) (vals (nth j l [])))).
    { clearbody xs. clear -D. induction xs as [|x xs IH]; [now destruct D|]. unfold pattern_of_point in *. simpl in D.
      destruct (Rlt_dec 0 (dot (vals x) (vals (nth i l [])))) as [A|A], (Rlt_dec 0 (dot (vals x) (vals (nth j l [])))) as [B|B].
      - destruct IH as (y & Y & Z); [congruence|]. exists y. simpl. auto.
      - exists x. simpl. tauto.
      - exists x. simpl. tauto.
      - destruct IH as (y & Y & Z); [congruence|]. exists y. simpl. auto. }
    destruct Ex as (x & X & E). apply in_map_iff in X as (p & <- & P). destruct (real_row_in (Orientations l) 0 rows p P) as (r & R & Pr & _).
    exists r. split; [exact R|]. intro Q. apply E. rewrite <- Pr, <- !(opens_orientation l 0 rows r _ R), Q. tauto.
  - intros u _. destruct (covers_spec d0 u _ [] sets Co) as (p & P & F); [intros p []|].
    apply In_nth with (d := []) in P as (k & K & <-). rewrite Ls in K. rewrite (Pk k K) in F. exists k. split; [exact K|].
    intros r I. rewrite (opens_orientation l 0 rows r k I). destruct (row_real_in (Orientations l) 0 rows r I) as (q & Q & -> & _).
    apply (fits_pattern u (vals (nth k l [])) xs F). now apply in_map.
Qed.
