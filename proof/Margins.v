(* SPDX-License-Identifier: Apache-2.0 *)
(* Margins of listed gates (docs/reference/certificate.md, Section 6): vectors below, weights of the rows above. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Means Duality Train.
Import ListNotations.

(* z of gate j and a row; weights k_j over M. *)
Inductive features := FirstLayer | BothLayers (gains : list dyadic).
Definition dfeature (g : gates) (z : features) (j : nat) (x : list dyadic) : list dyadic :=
  match z with
  | FirstLayer => x
  | BothLayers gains => ddot (match g with Orientations l => nth j l [] | _ => [] end) x :: dtimes (nth j gains dzero) x
  end.
(* M times the score of a row, and times the sum over gates of |sum_i q_i D_ij y_i z_ij|. *)
Definition dscore (g : gates) (z : features) (counts : list Z) (w : list (list dyadic)) (p : orow) : dyadic :=
  dsum (map (fun j => if snd p j then dmul (dint (nth j counts 0%Z))
                                           (dmul (dentry (dtarget (fst p))) (ddot (dfeature g z j (dpoint (fst p))) (nth j w []))) else dzero)
            (seq 0 (length counts))).
Definition weighted (g : gates) (z : features) (j : nat) (l : list (orow * dyadic)) : list dyadic :=
  dtotal (map (fun p : orow * dyadic => if snd (fst p) j
     then dtimes (dmul (snd p) (dentry (dtarget (fst (fst p))))) (dfeature g z j (dpoint (fst (fst p)))) else []) l).
Definition dlengths (g : gates) (z : features) (counts : list Z) (l : list (orow * dyadic)) : dyadic :=
  dsum (map (fun j => dmul (dint (nth j counts 0%Z)) (let s := weighted g z j l in dsqrt_up (ddot s s))) (seq 0 (length counts))).
Definition least (l : list dyadic) : dyadic := match l with a :: rest => fold_left dmin rest a | [] => dzero end.
Definition check_margin (g : gates) (z : features) (rows : list drow) (counts : list Z) (M : Z) (w : list (list dyadic)) (q : list dyadic)
  (claimed : dyadic * dyadic) : option (dyadic * dyadic) :=
  let all := opened g 0 rows in
  let low := ddiv_down (least (map (dscore g z counts w) all)) (dint M) in
  let high := ddiv_up (dlengths g z counts (combine all q)) (dmul (dint M) (dsum q)) in
  if signs rows && (0 <? M)%Z && forallb (fun k => (0 <=? k)%Z) counts && Nat.eqb (length q) (length rows) && Nat.eqb (length counts) (gate_count g) &&
     forallb (fun v => dle (ddot v v) done) w && forallb (fun t => dle dzero t) q && dlt dzero (dsum q) &&
     dle (snd claimed) low && dle high (fst claimed)
  then Some (double_up high, double_down low) else None.

Open Scope R_scope.
Definition real_feature (g : gates) (z : features) (j : nat) (r : row) : vec :=
  match z with
  | FirstLayer => point r
  | BothLayers gains => dot (match g with Orientations l => map val (nth j l []) | _ => [] end) (point r) :: times (val (nth j gains dzero)) (point r)
  end.
Lemma dfeature_spec g z j p r : is_row p r -> vals (dfeature g z j (dpoint p)) = real_feature g z j r.
Proof.
  intros (P & _). destruct z as [|gains]; simpl; [now rewrite P|]. fold vals. rewrite vals_times, val_dot, P. f_equal. destruct g; reflexivity.
Qed.
Lemma nth_vals_list j (w : list (list dyadic)) : nth j (map vals w) [] = vals (nth j w []).
Proof. change (@nil R) with (vals []). now rewrite map_nth. Qed.

Definition score_of (rho : list R) (z : nat -> row -> vec) (w : nat -> vec) (r : row) : R :=
  sum (map (fun j => nth j rho 0 * if opens r j then entry (target r) * dot (z j r) (w j) else 0) (seq 0 (length rho))).
Lemma dscore_spec g z counts M w p r : is_open_row p r -> 0 < IZR M ->
  val (dscore g z counts w p) / IZR M = score_of (map (fun k => IZR k / IZR M) counts) (real_feature g z) (fun j => vals (nth j w [])) r.
Proof.
  intros (I & O) Mp. unfold dscore, score_of. rewrite val_sum, map_length. unfold vals at 1. rewrite map_map.
  unfold Rdiv at 1. rewrite Rmult_comm, <- sum_times. apply sum_ext. intros j J. apply in_seq in J.
  rewrite (nth_indep _ 0 (IZR 0 / IZR M)) by (rewrite map_length; lia). rewrite (map_nth (fun k => IZR k / IZR M)).
  rewrite (O j). destruct (opens r j).
  - rewrite !val_mul, val_int, val_dot, dentry_spec, (dfeature_spec g z j _ r I). destruct I as (_ & T & _). rewrite T. field. lra.
  - rewrite val_zero. field. lra.
Qed.

Lemma least_spec l a : In a l -> val (least l) <= val a.
Proof.
  assert (G : forall l b, val (fold_left dmin l b) <= val b /\ forall a, In a l -> val (fold_left dmin l b) <= val a).
  { clear. induction l as [|c l IH]; intro b; simpl; [split; [lra | tauto]|]. destruct (IH (dmin b c)) as (A & B).
    rewrite val_min in A. pose proof (Rmin_l (val b) (val c)). pose proof (Rmin_r (val b) (val c)).
    split; [lra|]. intros a [<-|I]; [lra | auto]. }
  destruct l as [|b l]; simpl; [tauto|]. destruct (G l b) as (A & B). intros [<-|I]; auto.
Qed.

Lemma weighted_spec g z j v all reals : Forall2 is_open_row all reals -> forall q, length q = length reals ->
  dot (vals (weighted g z j (combine all q))) v =
  sum (map (fun p : row * R => snd p * (if opens (fst p) j then entry (target (fst p)) * dot (real_feature g z j (fst p)) v else 0)) (combine reals (vals q))).
Proof.
  intros F q L. unfold weighted. rewrite dot_dtotal, map_map. revert q L.
  induction F as [|p r all reals (I & O) F IH]; intros [|t q] L; simpl in L |- *; try discriminate; auto.
  rewrite IH by lia. f_equal. rewrite (O j). destruct (opens r j); [|simpl; ring].
  rewrite vals_times, dot_times, val_mul, dentry_spec, (dfeature_spec g z j _ r I). destruct I as (_ & -> & _). ring.
Qed.

(* Some row scores no more than the average over q. *)
Lemma average_bound (h : row -> R) U : forall reals q, length q = length reals -> (forall t, In t q -> 0 <= t) -> 0 < sum q ->
  sum (map (fun p : row * R => snd p * h (fst p)) (combine reals q)) <= U * sum q -> exists r, In r reals /\ h r <= U.
Proof.
  intros reals q L P S B.
  destruct (Exists_dec (fun r => h r <= U) reals) as [E|E]; [intro r; apply Rle_dec|apply Exists_exists in E as (r & I & H); eauto|].
  exfalso. assert (G : forall r, In r reals -> U < h r).
  { intros r I. apply Rnot_le_lt. intro H. apply E. apply Exists_exists. eauto. }
  clear E. assert (U * sum q < sum (map (fun p : row * R => snd p * h (fst p)) (combine reals q))); [|lra]. clear B.
  assert (K : forall reals q, length q = length reals -> (forall t, In t q -> 0 <= t) -> (forall r, In r reals -> U < h r) ->
     U * sum q <= sum (map (fun p : row * R => snd p * h (fst p)) (combine reals q)) /\ (0 < sum q -> U * sum q < sum (map (fun p : row * R => snd p * h (fst p)) (combine reals q)))).
  { clear. induction reals as [|r reals IH]; intros [|t q] L P G; simpl in *; try discriminate; [split; lra|].
    injection L as L. destruct (IH q L) as (A & B); auto. pose proof (P t (or_introl eq_refl)). pose proof (G r (or_introl eq_refl)).
    split; [nra|]. intro S. destruct (Req_dec t 0) as [->|N]; [|nra]. assert (0 < sum q) by lra. specialize (B H1). nra. }
  now apply K.
Qed.

Theorem check_margin_sound g z rows counts M w q claimed U L : check_margin g z rows counts M w q claimed = Some (U, L) ->
  margin_within (score (map (fun k => IZR k / IZR M) counts) (real_feature g z)) (score (map (fun k => IZR k / IZR M) counts) (real_feature g z))
    (real_rows g 0 rows) (val L) (Some U).
Proof.
  unfold check_margin. set (all := opened g 0 rows).
  match goal with |- (if ?c then _ else _) = _ -> _ => destruct c eqn:C; [|discriminate] end. intros [= <- <-].
  rewrite !andb_true_iff, !forallb_forall, !Nat.eqb_eq, dlt_spec, val_zero, Z.ltb_lt in C.
  destruct C as (((((((((_ & Mp) & Cp) & Lq) & _) & Wn) & Qp) & Qs) & _) & _).
  assert (Mr : 0 < IZR M) by (now apply IZR_lt).
  pose proof (opened_spec g 0 rows) as F. fold all in F. set (reals := real_rows g 0 rows) in *.
  split.
  - exists (score_of (map (fun k => IZR k / IZR M) counts) (real_feature g z) (fun j => vals (nth j w []))). split.
    + exists (fun j => vals (nth j w [])). split; [|reflexivity]. intro j. apply norm_one. destruct (Nat.lt_ge_cases j (length w)) as [J|J].
      * specialize (Wn _ (nth_In w [] J)). now rewrite dle_spec, val_dot, val_one in Wn.
      * rewrite nth_overflow by assumption. simpl. lra.
    + intros r I. destruct (forall2_in_r _ _ _ _ F I) as (p & P & O). rewrite <- (dscore_spec g z counts M w p r O Mr).
      eapply Rle_trans; [apply double_down_spec|]. rewrite <- (val_int M) in Mr |- *. eapply Rle_trans; [now apply ddiv_down_spec|].
      unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; exact Mr|]. apply least_spec. now apply in_map.
  - intros s0 (v & V & Es). apply average_bound with (q := vals q).
    + rewrite vals_length, Lq. unfold reals. clear. generalize 0%nat. induction rows as [|r rows IH]; intro i; simpl; auto.
    + intros t T. apply in_map_iff in T as (a & <- & A). specialize (Qp a A). now rewrite dle_spec, val_zero in Qp.
    + now rewrite <- val_sum.
    + assert (Lr : length q = length reals).
      { rewrite Lq. unfold reals. clear. generalize 0%nat. induction rows as [|r rows IH]; intro i; simpl; auto. }
      rewrite (sum_ext _ (fun p : row * R => sum (map (fun j => nth j (map (fun k => IZR k / IZR M) counts) 0 *
         (snd p * (if opens (fst p) j then entry (target (fst p)) * dot (real_feature g z j (fst p)) (v j) else 0)))
         (seq 0 (length (map (fun k => IZR k / IZR M) counts)))))).
      2: { intros p _. rewrite Es, <- sum_times. apply sum_ext. intros j _. now rewrite <- Rmult_assoc, (Rmult_comm (snd p)), Rmult_assoc. }
      rewrite sum_swap, map_length.
      apply Rle_trans with (val (dlengths g z counts (combine all q)) / IZR M).
      * unfold dlengths. rewrite val_sum. unfold vals at 2. rewrite map_map. unfold Rdiv at 2. rewrite Rmult_comm, <- sum_times. apply sum_le.
        intros j J. apply in_seq in J. rewrite sum_times, <- (weighted_spec g z j (v j) all reals F q Lr).
        rewrite (nth_indep _ 0 (IZR 0 / IZR M)) by (rewrite map_length; lia). rewrite (map_nth (fun k => IZR k / IZR M)).
        rewrite val_mul, val_int. set (s := weighted g z j (combine all q)).
        assert (K : 0 <= IZR (nth j counts 0%Z)).
        { apply IZR_le. specialize (Cp _ (nth_In counts 0%Z (proj2 J))). now apply Z.leb_le. }
        assert (D : dot (vals s) (v j) <= val (dsqrt_up (ddot s s))).
        { eapply Rle_trans; [apply dot_norm|]. pose proof (dnorm_spec s) as N. fold (norm (vals s)) in N.
          pose proof (V j).
          pose proof (norm_nonneg (vals s)). pose proof (norm_nonneg (v j)). nra. }
        assert (0 < / IZR M) by (now apply Rinv_0_lt_compat).
        unfold Rdiv. replace (/ IZR M * (IZR (nth j counts 0%Z) * val (dsqrt_up (ddot s s)))) with (IZR (nth j counts 0%Z) * / IZR M * val (dsqrt_up (ddot s s))) by ring.
        apply Rmult_le_compat_l; [|exact D]. apply Rmult_le_pos; lra.
      * rewrite <- val_sum. assert (P : 0 < val (dmul (dint M) (dsum q))) by (rewrite val_mul, val_int; now apply Rmult_lt_0_compat).
        pose proof (ddiv_up_spec (dlengths g z counts (combine all q)) _ P) as D.
        pose proof (double_up_spec (ddiv_up (dlengths g z counts (combine all q)) (dmul (dint M) (dsum q)))) as D2.
        rewrite val_mul, val_int in D.
        apply Rle_trans with (val (dlengths g z counts (combine all q)) / (IZR M * val (dsum q)) * val (dsum q)); [right; field; lra|].
        apply Rmult_le_compat_r; lra.
Qed.

(* The margin of linear functions is that of one gate that is open on every row. *)
Definition check_linear (g : gates) (rows : list drow) (w : list (list dyadic)) (q : list dyadic) (claimed : dyadic * dyadic) : option (dyadic * dyadic) :=
  if forallb (fun p : orow => snd p 0%nat) (opened g 0 rows) then check_margin g FirstLayer rows [1%Z] 1 w q claimed else None.
Theorem check_linear_sound g rows w q claimed U L : check_linear g rows w q claimed = Some (U, L) ->
  forall free d, claim_holds free d g (real_rows g 0 rows) (LinearMargin U L).
Proof.
  unfold check_linear. destruct (forallb _ _) eqn:O; [|discriminate]. intros H free d. apply check_margin_sound in H as ((s & (w0 & W & S) & Low) & High).
  rewrite forallb_forall in O.
  assert (Open : forall r, In r (real_rows g 0 rows) -> opens r 0%nat = true).
  { intros r I. destruct (forall2_in_r _ _ _ _ (opened_spec g 0 rows) I) as (p & P & _ & E). rewrite <- (E 0%nat). now apply O. }
  split.
  - exists (fun r => entry (target r) * dot (point r) (w0 0%nat)). split; [exists (w0 0%nat); auto|]. intros r I. specialize (Low r I). rewrite S in Low. simpl in Low. rewrite (Open r I) in Low. lra.
  - intros s' (w' & W' & S'). destruct (High (score_of (map (fun k => IZR k / IZR 1) [1%Z]) (real_feature g FirstLayer) (fun _ => w'))) as (r & I & B).
    { exists (fun _ => w'). split; [auto | reflexivity]. }
    exists r. split; [exact I|]. rewrite S'. unfold score_of in B. simpl in B. rewrite (Open r I) in B. lra.
Qed.
