(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker, and the theorem: what it accepts holds. *)
From Coq Require Import ZArith Reals List String Ascii Bool Lia.
From Fathom Require Import Numbers Text Data Statement Vectors Rows Sha256 Certificate Zero Matrix Spike Cones Dimension Faces Train Training Margins Wide Spectra Limits.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Fixpoint triples_of (words : list string) (made : list (Z * Z * dyadic)) : result (list (Z * Z * dyadic)) :=
  match words with
  | [] => Good (rev' made)
  | a :: b :: m :: rest => do a <- index_of a; do b <- index_of b; do m <- number_of m; triples_of rest ((a, b, m) :: made)
  | _ => mismatch
  end.
Definition zero_verdict (why : zero_reason) (l : lines) : result (verdict * lines) := Good (Verdict (ZeroMargin why) (Some dzero) (Some dzero) None, l).
Definition row_index (c : context) (word : string) : result nat :=
  do i <- index_of word;
  check i <? row_count (set c) else rejected, "there is no such row";
  Good (Z.to_nat i).
Definition claim_zero (c : context) (l : lines) : result (verdict * lines) :=
  check signs (rows (set c)) else rejected, "the targets are not -1 and +1 in one column";
  check negb (is_free c && negb (next_is "equal" l)) else rejected, "this margin is one of networks without free biases";
  if next_is "origin" l then
    do (words, l) <- line_of "origin" l;
    match words with
    | [i] => do i <- row_index c i; check check_origin (rows (set c)) i else rejected, "the row is not 0"; zero_verdict (AtOrigin i) l
    | _ => mismatch
    end
  else if next_is "equal" l then
    do (words, l) <- line_of "equal" l;
    match words with
    | [a; b] => do a <- row_index c a; do b <- row_index c b; check check_equal (rows (set c)) a b else rejected, "the rows are not equal with opposite targets";
                zero_verdict (EqualRows a b) l
    | _ => mismatch
    end
  else
  do (words, l) <- line_of "pairs" l;
  match words with
  | count :: words =>
      do count <- index_of count;
      check 3 * count =? length_of words else rejected, "there are not so many pairs";
      do pairs <- triples_of words [];
      check check_zero (rows (set c)) pairs else rejected, "the pairs prove nothing";
      zero_verdict ByPairs l
  | [] => mismatch
  end.

Definition claim_cone (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "cone" l;
  match words with
  | [kind; digits] =>
      check String.eqb kind "empty" || String.eqb kind "point" else rejected, "a cone is empty, or has a point";
      do pattern <- pattern_of (row_count (set c)) digits;
      if String.eqb kind "point" then
        do (z, l) <- numbers_line "point" (columns (set c)) l;
        do (weights, l) <- numbers_line "weights" (row_count (set c)) l;
        match check_dimension (Z.to_nat (columns (set c))) (rows (set c)) pattern z weights with
        | Some k => Good (Verdict (ConeDimension pattern k) (Some (dint (Z.of_nat k))) (Some (dint (Z.of_nat k))) None, l)
        | None => Bad rejected "the point and the weights prove nothing"
        end
      else
      do (weights, l) <- numbers_line "weights" (row_count (set c)) l;
      check check_cone_empty (rows (set c)) pattern weights else rejected, "the weights prove nothing";
      Good (Verdict (EmptyCone pattern) (Some (dint (-1))) (Some (dint (-1))) None, l)
  | _ => mismatch
  end.

(* Nothing more: the gates are all cones. *)
Definition claim_cones (c : context) (l : lines) : result (verdict * lines) :=
  check cones_ok (Z.to_nat (columns (set c))) (gate_list c) (rows (set c)) else rejected, "the gates are not all cones of the data";
  let m := gate_count (gate_list c) in
  Good (Verdict (Cones m) (Some (dint (Z.of_nat m))) (Some (dint (Z.of_nat m))) None, l).

(* Nothing more: the gates are all sets of active rows. *)
Definition claim_faces (c : context) (l : lines) : result (verdict * lines) :=
  check check_faces (Z.to_nat (columns (set c))) (gate_list c) (rows (set c)) else rejected, "the gates are not all sets of active rows";
  let m := gate_count (gate_list c) in
  Good (Verdict (Faces m) (Some (dint (Z.of_nat m))) (Some (dint (Z.of_nat m))) None, l).

Definition claim_spike (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "spike" l;
  match words with
  | [kind] =>
      if String.eqb kind "free" then
        check check_spike_free (Z.to_nat (columns (set c))) (map dpoint (rows (set c))) else rejected, "the data are not shown to be spike-free";
        Good (Verdict SpikeFree (Some done) (Some done) None, l)
      else
      check String.eqb kind "shown" else rejected, "a spike is shown, or there is none";
      do (u, l) <- numbers_line "point" (columns (set c)) l;
      do (combination, l) <- numbers_line "combination" (row_count (set c)) l;
      match check_spike (rows (set c)) u combination with
      | Some least => Good (Verdict (SpikeShown least) (Some dzero) (Some dzero) None, l)
      | None => Bad rejected "the point and the combination show no spike"
      end
  | _ => mismatch
  end.

Definition read_measure (c : context) (kind : string) (l : lines) : result (features * list Z * Z * lines) :=
  do (words, l) <- line_of (if String.eqb kind "units" then "counts" else "gains") l;
  match words with
  | M :: words =>
      do M <- index_of M;
      check length_of words =? gates_listed c else rejected, "there are not as many gates";
      check (0 <? M) && (M <=? 2 ^ 40) else rejected, "the number of neurons";
      if String.eqb kind "units" then
        do counts <- traverse index_of words [];
        check forallb (fun k => 0 <? k) counts && (fold_left Z.add counts 0 <=? M) else rejected, "gates are counted more often than there are neurons";
        Good (FirstLayer, counts, M, l)
      else
        check match gate_list c with Orientations _ => gates_listed c <=? M | _ => false end else rejected, "neurons have orientations";
        do gains <- traverse number_of words [];
        Good (BothLayers gains, map (fun _ => 1) gains, M, l)
  | [] => mismatch
  end.
(* Infinite width, in the plane or in at most three columns. *)
Definition wide_margin (c : context) (plane : bool) (U L : dyadic) (l : lines) : result (verdict * lines) :=
  check (if plane then columns (set c) =? 2 else columns (set c) <=? 3) else rejected, "the data has another number of columns";
  check negb (is_free c) else rejected, "this margin is one of networks without free biases";
  do (w, l) <- many (gates_listed c) (numbers_line "vector" (columns (set c))) l;
  do (q, l) <- numbers_line "dual" (row_count (set c)) l;
  match check_wide (Z.to_nat (columns (set c))) (gate_list c) (rows (set c)) w q (U, L) with
  | Some (U, L) => Good (Verdict (WideMargin plane U L) (Some U) (Some L) None, l)
  | None => Bad rejected "what is claimed is not proved"
  end.
Definition linear_margin (c : context) (U L : dyadic) (l : lines) : result (verdict * lines) :=
  check gates_listed c =? 1 else rejected, "a linear function has one gate";
  check negb (is_free c) else rejected, "this margin is one of networks without free biases";
  do (w, l) <- numbers_line "vector" (columns (set c)) l;
  do (q, l) <- numbers_line "dual" (row_count (set c)) l;
  match check_linear (gate_list c) (rows (set c)) [w] q (U, L) with
  | Some (U, L) => Good (Verdict (LinearMargin U L) (Some U) (Some L) None, l)
  | None => Bad rejected "what is claimed is not proved"
  end.
Definition claim_margin (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "bound" l;
  match words with
  | [kind; U; L] =>
      check existsb (String.eqb kind) ["units"; "neurons"; "plane"; "space"; "linear"] else rejected, "there is no such measure";
      do U <- number_of U;
      do L <- number_of L;
      if String.eqb kind "plane" || String.eqb kind "space" then wide_margin c (String.eqb kind "plane") U L l else
      if String.eqb kind "linear" then linear_margin c U L l else
      do (z, counts, M, l) <- read_measure c kind l;
      check negb (is_free c) else rejected, "this margin is one of networks without free biases";
      let width := columns (set c) + match z with FirstLayer => 0 | BothLayers _ => 1 end in
      do (w, l) <- many (gates_listed c) (numbers_line "vector" width) l;
      do (q, l) <- numbers_line "dual" (row_count (set c)) l;
      match check_margin (gate_list c) z (rows (set c)) counts M w q (U, L) with
      | Some (U, L) => match z with
                       | FirstLayer => Good (Verdict (Units counts M U L) (Some U) (Some L) None, l)
                       | BothLayers gains => check forallb (Z.eqb 1) counts && (length_of counts =? length_of gains) else rejected, "counts";
                                             Good (Verdict (Neurons gains M U L) (Some U) (Some L) None, l)
                       end
      | None => Bad rejected "what is claimed is not proved"
      end
  | _ => mismatch
  end.

Definition read_kernel (c : context) (l : lines) : result (kernel * dyadic * lines) :=
  do (words, l) <- line_of "kernel" l;
  match words with
  | [layer; width; factor] =>
      check existsb (String.eqb layer) ["first"; "both"] && existsb (String.eqb width) ["infinite"; "gates"] else rejected, "there is no such kernel";
      do factor <- number_of factor;
      check dlt dzero factor else rejected, "the factor is not positive";
      check String.eqb layer "first" || String.eqb width "infinite" else rejected, "a kernel of gates is one of the first layer";
      if String.eqb width "infinite" then Good (if String.eqb layer "first" then FirstLayerWide else BothLayersWide, factor, l)
      else do (_, counts, M, l) <- read_measure c "units" l; Good (FirstLayerGates counts M, factor, l)
  | _ => mismatch
  end.
Definition claim_spectrum (c : context) (l : lines) : result (verdict * lines) :=
  do (k, factor, l) <- read_kernel c l;
  do (words, l) <- line_of "bound" l;
  match words with
  | [kind; U; L] =>
      do which <- (if String.eqb kind "least" then Good Least else if String.eqb kind "largest" then Good Greatest
                   else if String.eqb kind "null" then Good Null else Bad rejected "there is no such end of a spectrum");
      do U <- number_of U;
      do L <- number_of L;
      do (v, l) <- numbers_line "vector" (row_count (set c)) l;
      match check_spectrum k factor which (opened (gate_list c) 0 (rows (set c))) v U L with
      | Some (U, L) => Good (Verdict (Spectrum k factor which U L) (Some U) (Some L) None, l)
      | None => Bad rejected "what is claimed is not proved"
      end
  | _ => mismatch
  end.

Fixpoint kinks_of (words : list string) (made : list kink) : result (list kink) :=
  match words with
  | [] => Good (rev' made)
  | j :: i :: slope :: rest => do j <- index_of j; do i <- index_of i; do slope <- number_of slope; kinks_of rest ((j, i, slope) :: made)
  | _ => mismatch
  end.
Definition read_dynamics (words : list string) : result (bool * option dyadic) :=
  match words with
  | kind :: layers :: more =>
      check existsb (String.eqb layers) ["first"; "both"] else rejected, "the line of the problem";
      let both := String.eqb layers "both" in
      match more with
      | [] => check String.eqb kind "relu" else rejected, "the line of the problem"; Good (both, None)
      | [slope] => check String.eqb kind "leaky" else rejected, "the line of the problem"; do a <- number_of slope; Good (both, Some a)
      | _ => mismatch
      end
  | _ => mismatch
  end.
Definition claim_limit (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "problem" l;
  do (both, slope) <- read_dynamics words;
  do (bounds, l) <- numbers_line "bound" 3 l;
  check negb (is_free c) else rejected, "this claim is one of networks without free biases";
  do (count, l) <- count_line "network" l;
  do (neurons, l) <- many count (read_neuron 1 (columns (set c)) false) l;
  do (multipliers, l) <- numbers_line "multipliers" (row_count (set c)) l;
  do (words, l) <- line_of "kinks" l;
  match bounds, words with
  | [R_; S_; K], count :: words =>
      do count <- index_of count;
      check 3 * count =? length_of words else rejected, "there are not so many kinks";
      do kinks <- kinks_of words [];
      check dle dzero K else rejected, "a bound is negative";
      let K := match kinks with [] => dzero | _ => K end in
      match check_limit both (match slope with Some a => a | None => dzero end) R_ S_ K (rows (set c)) neurons multipliers kinks with
      | Some (U, L) => Good (Verdict (Limit both slope R_ S_ K (List.length neurons) U L) (Some U) (Some L) (Some (Relu neurons [], Without)), l)
      | None => Bad rejected "what is claimed is not proved"
      end
  | _, _ => mismatch
  end.

Definition read_claim (c : context) (l : lines) : result (verdict * lines) :=
  do (words, l) <- line_of "claim" l;
  match words with
  | [kind] =>
      let exact_only := String.eqb kind "train" || String.eqb kind "margin" || String.eqb kind "spectrum" || String.eqb kind "limit" in
      check negb (exact_only && decimals (from_source c)) else rejected, "this claim is about doubles, not about decimals";
      if String.eqb kind "zero" then claim_zero c l
      else if String.eqb kind "cone" then claim_cone c l
      else if String.eqb kind "cones" then claim_cones c l
      else if String.eqb kind "spike" then claim_spike c l
      else if String.eqb kind "train" then claim_train c l
      else if String.eqb kind "margin" then claim_margin c l
      else if String.eqb kind "faces" then claim_faces c l
      else if String.eqb kind "spectrum" then claim_spectrum c l
      else if String.eqb kind "limit" then claim_limit c l
      else if String.eqb kind "sampled" then Bad uncovered "kind not covered: sampled margins"
      else mismatch
  | _ => mismatch
  end.

Definition answer_of (c : context) (v : verdict) : answer :=
  Answer (Statement (file_hash c) (second_hash c) (from_source c) (gate_list c) (claim_of v)) (set c) (top v) (bottom v) (listed_parts v).
Fixpoint read_claims (fuel : lines) (c : context) (l : lines) (made : list answer) : result (list answer) :=
  match fuel with
  | [] => mismatch
  | _ :: fuel =>
      do (v, l) <- read_claim c l;
      let made := answer_of c v :: made in
      if next_is "claim" l then read_claims fuel c l made
      else match l with [[last]] => if String.eqb last "end" then Good (rev' made) else mismatch | _ => mismatch end
  end.
Definition checked (certificate data labels : string) : result (list answer) :=
  do l <- words_of certificate;
  do (c, l) <- read_context data labels l;
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
Proof. unfold claim_zero, zero_verdict, row_index. intro H. steps; first [eapply check_origin_sound; eassumption | eapply check_equal_sound; eassumption | eapply check_zero_sound; eassumption]. Qed.
Lemma claim_limit_sound c l v rest : claim_limit c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_limit. intro H. steps; eapply check_limit_sound; eassumption. Qed.
Lemma claim_cone_sound c l v rest : claim_cone c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_cone. intro H. steps; first [eapply check_cone_empty_sound; eassumption | eapply check_dimension_sound; eassumption]. Qed.
Lemma claim_cones_sound c l v rest : claim_cones c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_cones. intro H. steps. split; [reflexivity|]. eapply cones_ok_spec. eassumption. Qed.
Lemma claim_faces_sound c l v rest : claim_faces c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_faces. intro H. steps. eapply check_faces_sound. eassumption. Qed.
Lemma claim_spectrum_sound c l v rest : claim_spectrum c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_spectrum. intro H. steps; eapply check_spectrum_sound; eassumption. Qed.
Lemma claim_spike_sound c l v rest : claim_spike c l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold claim_spike. intro H. steps; [eapply check_spike_free_sound | eapply check_spike_sound]; eassumption. Qed.

Lemma claim_train_sound c l v rest : claim_train c l = Good (v, rest) -> holds_of c (claim_of v).
Proof.
  unfold claim_train. intro H.
  repeat match type of H with
  | bind _ _ = Good _ => apply bind_good in H; destruct H as (? & ? & H)
  | (let '(_, _) := ?p in _) = Good _ => destruct p
  | match check_train ?a ?b ?d ?e ?f ?g ?h ?i ?j ?k with _ => _ end = Good _ => destruct (check_train a b d e f g h i j k) as [(U, L)|] eqn:K
  | Bad _ _ = Good _ => discriminate H
  end.
  pose proof (check_train_sound _ _ _ _ _ _ _ _ _ _ _ _ K) as T.
  match type of K with check_train _ _ _ _ ?loss _ _ _ _ _ = _ => destruct loss end; try (injection H as <- <-; exact (train_claim _ _ _ _ _ _ _ _ _ _ _ _ T)).
  apply need_good in H as (C & H). rewrite !andb_true_iff, !dlt_spec, val_zero in C. destruct C as ((Up & Bp) & Ne).
  destruct (as_margin _ U L) as (high, low) eqn:E. injection H as <- <-. unfold holds_of. cbn [claim_of].
  assert (Nr : real_rows (gate_list c) 0 (rows (set c)) <> []).
  { unfold row_count in Ne. destruct (rows (set c)); [discriminate Ne | discriminate]. }
  pose proof (margin_sound _ _ _ _ _ _ _ _ _ _ _ Bp Up Nr T) as M. rewrite E in M. exact M.
Qed.
Lemma ones gains counts M : forallb (Z.eqb 1) counts = true -> length_of counts = length_of gains ->
  map (fun k => IZR k / IZR M)%R counts = map (fun _ : dyadic => 1 / IZR M)%R gains.
Proof.
  assert (G : forall A (l : list A) k, length_onto l k = k + Z.of_nat (List.length l)).
  { clear. induction l as [|a l IH]; intro k; simpl length_onto; [simpl; lia|]. rewrite IH. simpl List.length. lia. }
  unfold length_of. rewrite !G. intros H L. assert (E : List.length counts = List.length gains) by lia. clear L G.
  revert gains E. induction counts as [|k counts IH]; intros [|a gains] E; cbn [forallb map List.length] in *; try discriminate; auto.
  apply andb_true_iff in H as [K H]. apply Z.eqb_eq in K. subst k. f_equal. apply IH; auto.
Qed.
Lemma wide_margin_sound c plane U L l v rest : wide_margin c plane U L l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold wide_margin. intro H. apply need_good in H as (_ & H). steps. eapply check_wide_sound. eassumption. Qed.
Lemma linear_margin_sound c U L l v rest : linear_margin c U L l = Good (v, rest) -> holds_of c (claim_of v).
Proof. unfold linear_margin. intro H. steps. eapply check_linear_sound. eassumption. Qed.
Lemma claim_margin_sound c l v rest : claim_margin c l = Good (v, rest) -> holds_of c (claim_of v).
Proof.
  unfold claim_margin. intro H.
  apply bind_good in H as ((words & m) & _ & H). destruct words as [|kind [|U [|L [|]]]]; try discriminate.
  apply need_good in H as (_ & H).
  apply bind_good in H as (U' & _ & H). apply bind_good in H as (L' & _ & H).
  destruct (String.eqb kind "plane" || String.eqb kind "space"); [eapply wide_margin_sound; eassumption|].
  destruct (String.eqb kind "linear"); [eapply linear_margin_sound; eassumption|]. apply bind_good in H as ((((z & counts) & M) & m2) & _ & H).
  apply need_good in H as (_ & H). apply bind_good in H as ((w & m3) & _ & H). apply bind_good in H as ((q & m4) & _ & H).
  destruct (check_margin _ z _ counts M w q (U', L')) as [(A, B)|] eqn:K; [|discriminate]. apply check_margin_sound in K.
  destruct z as [|gains]; [injection H as <- _; exact K|].
  apply need_good in H as (C & H). injection H as <- _. apply andb_true_iff in C as (C & D). apply Z.eqb_eq in D.
  unfold holds_of. simpl. rewrite <- (ones gains counts M C D). exact K.
Qed.

Lemma read_claim_sound c l v rest : read_claim c l = Good (v, rest) -> holds_of c (claim_of v).
Proof.
  unfold read_claim. intro H. apply bind_good in H as ((words & m) & _ & H). destruct words as [|kind [|]]; try discriminate.
  apply need_good in H as (_ & H).
  destruct (String.eqb kind "zero"); [eapply claim_zero_sound; eassumption|].
  destruct (String.eqb kind "cone"); [eapply claim_cone_sound; eassumption|].
  destruct (String.eqb kind "cones"); [eapply claim_cones_sound; eassumption|].
  destruct (String.eqb kind "spike"); [eapply claim_spike_sound; eassumption|].
  destruct (String.eqb kind "train"); [eapply claim_train_sound; eassumption|].
  destruct (String.eqb kind "margin"); [eapply claim_margin_sound; eassumption|].
  destruct (String.eqb kind "faces"); [eapply claim_faces_sound; eassumption|].
  destruct (String.eqb kind "spectrum"); [eapply claim_spectrum_sound; eassumption|].
  destruct (String.eqb kind "limit"); [eapply claim_limit_sound; eassumption|].
  destruct (String.eqb kind "sampled"); discriminate.
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

Lemma read_layout_sound words data labels layout sha second : read_layout words data labels = Good (layout, sha, second) ->
  sha = sha256 data /\ forall h, second = Some h -> h = sha256 labels.
Proof.
  unfold read_layout. intro H. steps;
  repeat match goal with
  | E : String.eqb _ (sha256 _) = true |- _ => apply String.eqb_eq in E
  | E : (_, _) = (_, _) |- _ => injection E as E
  end; subst; split; intros; congruence.
Qed.
Lemma read_context_sound data labels l c rest : read_context data labels l = Good (c, rest) ->
  dataset_of (from_source c) data labels = Good (set c) /\ file_hash c = sha256 data /\ forall h, second_hash c = Some h -> h = sha256 labels.
Proof.
  unfold read_context. intro H. steps. simpl. split; [assumption|]. eapply read_layout_sound. eassumption.
Qed.

(* Whatever is accepted holds, of the file with this hash and of the file of labels with theirs, where the data has one. *)
Theorem accepted_holds certificate data labels answers : checked certificate data labels = Good answers ->
  forall a, In a answers -> hash (said a) = sha256 data /\ (forall h, labels_hash (said a) = Some h -> h = sha256 labels) /\ holds data labels (said a).
Proof.
  unfold checked. intro H. apply bind_good in H as (l & _ & H). apply bind_good in H as ((c & m) & C & H).
  apply read_context_sound in C as (D & S & T). apply read_claims_sound in H; [|constructor].
  intros a A. rewrite Forall_forall in H. destruct (H a A) as (v & -> & V). split; [exact S|]. split; [exact T|].
  exists (set c). split; [exact D | exact V].
Qed.
