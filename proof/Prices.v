(* SPDX-License-Identifier: Apache-2.0 *)
(* What one direction of the outputs may earn: sum_i v_i relu(<x_i, u> + b) <= P |u|, with b = 0 or any b (docs/reference/certificate.md, Section 5). *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Statement Linear Vectors Rows Duality Definite Tree.
Import ListNotations.

Definition less (x m : list dyadic) : list dyadic := dplus x (dtimes (dint (-1)) m).
Definition radius (ys : list (list dyadic)) : dyadic := fold_left dmax (map (fun y => ddot y y) ys) dzero.
(* One side. Free biases: on the points x_i - m, with (1, x_i - m) for x_i. *)
Definition side_ok (free : bool) (d : nat) (m : list dyadic) (xs : list (list dyadic)) (v : list dyadic) (P : dyadic) (t : tree) : bool :=
  if free then
    let ys := map (fun x => less x m) xs in
    let R2 := radius ys in
    deq (dsum v) dzero && Nat.eqb (length v) (length xs) &&
    tree_ok (fun lift l => match lift with [r] => bound_lifted d R2 P r l | _ => false end) (map (cons done) ys) v [] t
  else tree_ok (fun lift l => match lift with [] => bound_columns d P l | _ => false end) xs v [] t.
(* A best bias is at a kink b = - <x_k, u>. *)
Fixpoint kinks_ok (d : nat) (all : list (list dyadic)) (v : list dyadic) (P : dyadic) (xs : list (list dyadic)) (l : list (tree * tree)) : bool :=
  match xs, l with
  | [], [] => true
  | x :: xs, (above, below) :: l =>
      let ys := map (fun y => less y x) all in
      side_ok false d [] ys v P above && side_ok false d [] ys (map dneg v) P below && kinks_ok d all v P xs l
  | _, _ => false
  end.

(* --- proofs --- *)
Open Scope R_scope.

Definition ramp (l : list (R * R)) (b : R) : R := sum (map (fun p => fst p * relu (snd p + b)) l).
Definition gain (l : list (R * vec)) (u : vec) (b : R) : R := sum (map (fun p => fst p * relu (dot (snd p) u + b)) l).
Definition priced (free : bool) (d : nat) (l : list (R * vec)) (P : R) : Prop :=
  forall u b, List.length u = d -> (free = false -> b = 0) -> gain l u b <= P * norm u.
Definition paired (v : list dyadic) (xs : list (list dyadic)) : list (R * vec) := combine (vals v) (map vals xs).
Definition along_u (l : list (R * vec)) (u : vec) : list (R * R) := map (fun p => (fst p, dot (snd p) u)) l.

Lemma gain_ramp l u b : gain l u b = ramp (along_u l u) b.
Proof. unfold gain, ramp, along_u. now rewrite map_map. Qed.
Lemma relu_pos t : 0 <= t -> relu t = t.
Proof. intro. unfold relu. now rewrite Rmax_right. Qed.
Lemma relu_neg t : t <= 0 -> relu t = 0.
Proof. intro. unfold relu. now rewrite Rmax_left. Qed.
Lemma sum_fst_shift l (s : R) : sum (map fst l) = 0 -> sum (map (fun p : R * R => fst p * (snd p + s)) l) = sum (map (fun p : R * R => fst p * snd p) l).
Proof.
  intro Z. rewrite (sum_ext _ (fun p => fst p * snd p + s * fst p)) by (intros; ring). rewrite sum_plus, sum_times, Z. ring.
Qed.
Lemma ramp_on l b : (forall p, In p l -> 0 <= snd p + b) -> ramp l b = sum (map (fun p => fst p * (snd p + b)) l).
Proof. intro H. apply sum_ext. intros p I. now rewrite relu_pos by auto. Qed.
Lemma ramp_off l b : (forall p, In p l -> snd p + b <= 0) -> ramp l b = 0.
Proof. intro H. unfold ramp. rewrite (sum_ext _ (fun _ => 0)), sum_zero; auto. intros p I. rewrite relu_neg by auto. ring. Qed.

(* Beyond |b| = K >= |t_i| nothing changes. *)
Lemma clamped l K b : sum (map fst l) = 0 -> 0 <= K -> (forall p, In p l -> Rabs (snd p) <= K) -> exists c, Rabs c <= K /\ ramp l b = ramp l c.
Proof.
  intros Z Kp H. assert (T : forall p, In p l -> - K <= snd p <= K) by (intros p I; specialize (H p I); unfold Rabs in H; destruct (Rcase_abs (snd p)); lra).
  destruct (Rle_dec b K) as [B|B]; [destruct (Rle_dec (- K) b) as [A|A]|].
  - exists b. split; [now apply Rabs_le | reflexivity].
  - exists (- K). split; [rewrite Rabs_Ropp, Rabs_pos_eq; lra|]. rewrite !ramp_off; auto; intros p I; specialize (T p I); lra.
  - exists K. split; [rewrite Rabs_pos_eq; lra|]. rewrite !ramp_on, !sum_fst_shift; auto; intros p I; specialize (T p I); lra.
Qed.

(* The last kink at or before b, and the first at or behind it. *)
Lemma last_kink (l : list (R * R)) b : (forall p, In p l -> b < - snd p) \/
  exists p, In p l /\ - snd p <= b /\ forall q, In q l -> - snd q <= b -> - snd q <= - snd p.
Proof.
  induction l as [|a l [N|(p & I & B & M)]]; [left; intros p []| |].
  - destruct (Rle_dec (- snd a) b) as [A|A].
    + right. exists a. repeat split; auto; [now left|]. intros q [<-|Q] H; [lra|]. specialize (N q Q). lra.
    + left. intros q [<-|Q]; [lra | auto].
  - right. destruct (Rle_dec (- snd a) b) as [A|A]; [destruct (Rle_dec (- snd a) (- snd p)) as [C|C]|].
    + exists p. repeat split; auto; [now right|]. intros q [<-|Q] H; [lra | auto].
    + exists a. repeat split; auto; [now left|]. intros q [<-|Q] H; [lra|]. specialize (M q Q H). lra.
    + exists p. repeat split; auto; [now right|]. intros q [<-|Q] H; [lra | auto].
Qed.
Lemma first_kink (l : list (R * R)) b : (forall p, In p l -> - snd p < b) \/
  exists p, In p l /\ b <= - snd p /\ forall q, In q l -> b <= - snd q -> - snd p <= - snd q.
Proof.
  destruct (last_kink (map (fun p => (fst p, - snd p)) l) (- b)) as [N|(p & I & B & M)].
  - left. intros p I. specialize (N _ (in_map (fun p => (fst p, - snd p)) _ _ I)). simpl in N. lra.
  - right. apply in_map_iff in I as (q & <- & I). exists q. simpl in *. repeat split; auto; [lra|].
    intros r J H. specialize (M _ (in_map (fun p => (fst p, - snd p)) _ _ J)). simpl in M. lra.
Qed.
Lemma at_kinks l b B : sum (map fst l) = 0 -> 0 <= B -> (forall p, In p l -> ramp l (- snd p) <= B) -> ramp l b <= B.
Proof.
  intros Z Bp H. destruct (last_kink l b) as [N|(p & P & Pb & Pm)].
  { rewrite ramp_off; auto. intros p I. specialize (N p I). lra. }
  destruct (first_kink l b) as [N|(q & Q & Qb & Qm)].
  { apply Rle_trans with (ramp l (- snd p)); [|auto]. rewrite !ramp_on, !sum_fst_shift; auto; try lra.
    - intros r I. specialize (N r I). specialize (Pm r I ltac:(lra)). lra.
    - intros r I. specialize (N r I). lra. }
  pose proof (H p P) as Hp. pose proof (H q Q) as Hq. set (lo := - snd p) in *. set (hi := - snd q) in *.
  destruct (Req_dec lo hi) as [E|E]; [replace b with lo by lra; exact Hp|].
  assert (L : (hi - lo) * ramp l b = (hi - b) * ramp l lo + (b - lo) * ramp l hi).
  { unfold ramp. rewrite <- !sum_times, <- sum_plus. apply sum_ext. intros r I. destruct (Rle_dec (- snd r) b) as [C|C].
    - specialize (Pm r I C). rewrite !relu_pos by lra. ring.
    - specialize (Qm r I ltac:(lra)). rewrite !relu_neg by lra. ring. }
  assert (lo < hi) by lra. apply Rmult_le_reg_l with (hi - lo); [lra|]. rewrite L.
  replace ((hi - lo) * B) with ((hi - b) * B + (b - lo) * B) by ring. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma paired_in v xs p : In p (paired v xs) -> exists x, In x xs /\ snd p = vals x.
Proof. intro I. destruct p as (a, y). apply in_combine_r in I. apply in_map_iff in I as (x & <- & I). eauto. Qed.
Lemma paired_sum v xs : length v = length xs -> sum (map fst (paired v xs)) = val (dsum v).
Proof.
  rewrite val_sum. unfold paired. revert xs. induction v as [|a v IH]; intros [|x xs] L; simpl in *; try discriminate; auto. f_equal. apply IH. lia.
Qed.
Lemma rows_terms_gain v xs u i : sum (map (fun t => val (coef t) * relu (dot (vals (pt t)) u)) (rows_terms i xs v)) = gain (paired v xs) u 0.
Proof.
  unfold gain, paired. revert v i. induction xs as [|x xs IH]; intros [|a v] i; simpl; auto. rewrite IH, Rplus_0_r. reflexivity.
Qed.
Lemma gain_moved v xs m u b : gain (paired v xs) u b = gain (paired v (map (fun x => less x m) xs)) u (b + dot (vals m) u).
Proof.
  unfold gain, paired. revert v. induction xs as [|x xs IH]; intros [|a v]; simpl; auto. fold (vals v). rewrite IH. f_equal. f_equal. f_equal.
  unfold less. rewrite vals_plus, vals_times, val_int, dot_plus, dot_times. ring.
Qed.
Lemma gain_ones v ys u b : gain (paired v (map (cons done) ys)) (b :: u) 0 = gain (paired v ys) u b.
Proof.
  unfold gain, paired. revert v. induction ys as [|y ys IH]; intros [|a v]; simpl; auto. fold (vals v). rewrite IH. f_equal. f_equal. f_equal.
  rewrite val_one. unfold vals. ring.
Qed.
Lemma gain_neg v xs u b : gain (paired (map dneg v) xs) u b = - gain (paired v xs) u b.
Proof.
  unfold gain, paired. revert v. induction xs as [|x xs IH]; intros [|a v]; simpl; try ring. fold (vals v) (vals (map dneg v)). rewrite IH, val_neg. ring.
Qed.
Lemma radius_spec ys y : In y ys -> dot (vals y) (vals y) <= val (radius ys).
Proof.
  unfold radius. assert (G : forall l a, val a <= val (fold_left dmax l a) /\ forall b, In b l -> val b <= val (fold_left dmax l a)).
  { induction l as [|c l IH]; intro a; simpl; [split; [lra | tauto]|]. destruct (IH (dmax a c)) as (A & B). rewrite val_max in A.
    pose proof (Rmax_l (val a) (val c)). pose proof (Rmax_r (val a) (val c)). split; [lra|]. intros b [<-|I]; [lra | auto]. }
  intro I. rewrite <- val_dot. apply G. now apply (in_map (fun y => ddot y y)).
Qed.
Lemma no_path xs u : obeys xs u [].
Proof. intros ? ? ? K. discriminate K. Qed.

Theorem side_ok_spec free d m xs v P t : side_ok free d m xs v P t = true -> priced free d (paired v xs) (val P).
Proof.
  unfold side_ok. destruct free; intros H u b U F.
  - rewrite !andb_true_iff, deq_spec, val_zero, Nat.eqb_eq in H. destruct H as ((Z & L) & H). set (ys := map (fun x => less x m) xs) in *.
    rewrite (gain_moved v xs m u b). fold ys. rewrite gain_ramp.
    assert (R0 : 0 <= val (radius ys)).
    { assert (G : forall l a, val a <= val (fold_left dmax l a)).
      { clear. induction l as [|c l IH]; intro a; simpl; [lra|]. specialize (IH (dmax a c)). rewrite val_max in IH. pose proof (Rmax_l (val a) (val c)). lra. }
      rewrite <- val_zero. apply G. }
    set (K := sqrt (val (radius ys)) * norm u).
    destruct (clamped (along_u (paired v ys) u) K (b + dot (vals m) u)) as (c & C & ->).
    + unfold along_u. rewrite map_map. simpl. change (map (fun x : R * vec => fst x) (paired v ys)) with (map fst (paired v ys)). rewrite paired_sum; [exact Z | unfold ys; now rewrite map_length].
    + unfold K. apply Rmult_le_pos; [apply sqrt_pos | apply norm_nonneg].
    + intros p I. apply in_map_iff in I as (q & <- & I). simpl. apply paired_in in I as (y & Y & ->).
      apply square_le; [unfold K; apply Rmult_le_pos; [apply sqrt_pos | apply norm_nonneg]|].
      replace (Rabs (dot (vals y) u) * Rabs (dot (vals y) u)) with (dot (vals y) u * dot (vals y) u) by (unfold Rabs; destruct (Rcase_abs _); ring).
      eapply Rle_trans; [apply cauchy_schwarz|]. unfold K.
      replace (sqrt (val (radius ys)) * norm u * (sqrt (val (radius ys)) * norm u)) with (sqrt (val (radius ys)) * sqrt (val (radius ys)) * (norm u * norm u)) by ring.
      rewrite sqrt_sqrt, norm_square by assumption. apply Rmult_le_compat_r; [apply dot_self | now apply radius_spec].
    + rewrite <- gain_ramp, <- gain_ones, <- (rows_terms_gain v (map (cons done) ys) (c :: u) 0).
      eapply (tree_ok_spec _ _ _ _ _ t); [|apply no_path|intros ? ? []|exact H].
      intros lift l B. destruct lift as [|r [|]]; try discriminate. eapply bound_lifted_spec; [| |exact B]; [lia|].
      assert (Cs : c * c <= K * K). { replace (c * c) with (Rabs c * Rabs c) by (unfold Rabs; destruct (Rcase_abs c); ring). pose proof (Rabs_pos c). nra. }
      eapply Rle_trans; [exact Cs|]. unfold K.
      replace (sqrt (val (radius ys)) * norm u * (sqrt (val (radius ys)) * norm u)) with (sqrt (val (radius ys)) * sqrt (val (radius ys)) * (norm u * norm u)) by ring.
      rewrite sqrt_sqrt, norm_square by assumption. lra.
  - rewrite (F eq_refl), <- (rows_terms_gain v xs u 0). eapply (tree_ok_spec _ _ _ _ _ t); [|apply no_path|intros ? ? []|exact H].
    intros lift l B. destruct lift; [|discriminate]. pose proof (bound_columns_spec d P l u ltac:(lia) B). lra.
Qed.

Lemma kinks_each d all v P xs l x : kinks_ok d all v P xs l = true -> In x xs ->
  priced false d (paired v (map (fun y => less y x) all)) (val P) /\ priced false d (paired (map dneg v) (map (fun y => less y x) all)) (val P).
Proof.
  revert l. induction xs as [|y xs IH]; intros [|(above, below) l] H I; try discriminate; [destruct I|]. cbn [kinks_ok] in H. rewrite !andb_true_iff in H. destruct H as ((A & B) & H).
  destruct I as [<-|I]; [split; eapply side_ok_spec; eassumption | eauto].
Qed.
(* From prices at all kinks: a price with any bias. *)
Lemma from_kinks d v xs P : length v = length xs -> val (dsum v) = 0 -> 0 <= P ->
  (forall x, In x xs -> priced false d (paired v (map (fun y => less y x) xs)) P) -> priced true d (paired v xs) P.
Proof.
  intros L Z Pp H u b U _. rewrite gain_ramp. apply at_kinks.
  - unfold along_u. rewrite map_map. simpl. change (map (fun x : R * vec => fst x) (paired v xs)) with (map fst (paired v xs)). now rewrite paired_sum.
  - apply Rmult_le_pos; [exact Pp | apply norm_nonneg].
  - intros p I. apply in_map_iff in I as (q & <- & I). simpl. apply paired_in in I as (x & X & ->). rewrite <- gain_ramp, (gain_moved v xs x u).
    replace (- dot (vals x) u + dot (vals x) u) with 0 by ring. apply (H x X u 0 U). auto.
Qed.
