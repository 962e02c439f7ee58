(* SPDX-License-Identifier: Apache-2.0 *)
(* The dimension of a cone (docs/reference/certificate.md, Section 7): a point z of it, and weights by which the rows F that vanish at z vanish on
   all of it. So it spans the space orthogonal to F, whose dimension elimination in integers counts. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Cones Matrix.
Import ListNotations.

(* --- how many dimensions are orthogonal to rows of d integers --- *)

Fixpoint pivot_of (rows : list (list Z)) : option (Z * list Z) :=
  match rows with
  | [] => None
  | [] :: rest => pivot_of rest
  | (a :: x) :: rest => if (a =? 0)%Z then pivot_of rest else Some (a, x)
  end.
Fixpoint nullity (d : nat) (rows : list (list Z)) : nat :=
  match d with
  | O => O
  | S d => match pivot_of rows with
           | None => S (nullity d (map (@tl Z) rows))
           | Some (a, x) => nullity d (map (fun r => primitive (Cones.combined a (tl r) (- hd 0%Z r) x)) rows)
           end
  end.

Fixpoint placed (rows : list drow) (pattern : list bool) (z l : list dyadic) : bool :=
  match rows, pattern, l with
  | [], [], [] => true
  | r :: rows, s :: pattern, w :: l =>
      let t := ddot (dpoint r) z in
      (if s then dlt dzero t else dle t dzero) && dle dzero w && eqb (negb (dnull (dpoint r)) && deq t dzero) (dlt dzero w) && placed rows pattern z l
  | _, _, _ => false
  end.
Definition forced (rows : list drow) (z : list dyadic) : list (list dyadic) :=
  filter (fun x => negb (dnull x) && deq (ddot x z) dzero) (map dpoint rows).
Definition check_dimension (d : nat) (rows : list drow) (pattern : list bool) (z l : list dyadic) : option nat :=
  if Nat.eqb (length z) d && placed rows pattern z l && dnull (dtotal (Matrix.combined rows l))
  then Some (nullity d (map (fun x => primitive (whole_row x)) (forced rows z))) else None.

Open Scope R_scope.
Lemma dot_combination_map c (f : vec -> vec) b y :
  dot (combination c (map f b)) y = sum (map (fun p => fst p * dot (f (snd p)) y) (combine c b)).
Proof.
  unfold combination. rewrite dot_total, map_map. revert b. induction c as [|t c IH]; intros [|v b]; simpl; auto. now rewrite dot_times, IH.
Qed.
Lemma dot_combination c b y : dot (combination c b) y = sum (map (fun p => fst p * dot (snd p) y) (combine c b)).
Proof. rewrite <- (map_id b) at 1. apply (dot_combination_map c (fun v => v)). Qed.
Lemma dot_repeat k y : dot (repeat 0 k) y = 0.
Proof. revert y. induction k as [|k IH]; intros [|t y]; simpl; auto. rewrite IH. ring. Qed.
Lemma zdot_cons r h w : zdot r (h :: w) = IZR (hd 0%Z r) * h + zdot (tl r) w.
Proof. destruct r; unfold zdot; simpl; [destruct w; ring | reflexivity]. Qed.
Lemma pivot_none rows : pivot_of rows = None -> forall r, In r rows -> hd 0%Z r = 0%Z.
Proof.
  induction rows as [|[|a x] rows IH]; simpl; [tauto | |]; intros H r.
  - intros [<-|I]; auto.
  - destruct (Z.eqb_spec a 0); [|discriminate]. intros [<-|I]; auto.
Qed.
Lemma pivot_some rows a x : pivot_of rows = Some (a, x) -> a <> 0%Z /\ In (a :: x) rows.
Proof.
  induction rows as [|[|b y] rows IH]; simpl; [discriminate | |]; intro H.
  - destruct (IH H). auto.
  - destruct (Z.eqb_spec b 0); [destruct (IH H); auto|]. injection H as -> ->. auto.
Qed.

Definition null_of (d : nat) (rows : list (list Z)) (u : vec) : Prop := length u = d /\ forall r, In r rows -> zdot r u = 0.
Lemma nullity_spec d : forall rows, exists b, length b = nullity d rows /\ independent b /\ (forall v, In v b -> null_of d rows v) /\
  forall u, null_of d rows u -> exists c, length c = length b /\ same u (combination c b).
Proof.
  induction d as [|d IH]; intro rows; cbn [nullity].
  - exists []. split; [reflexivity|]. split; [|split].
    + intros c L _ t I. destruct c; [destruct I | discriminate].
    + intros v [].
    + intros u (L & _). exists []. split; [reflexivity|]. destruct u; [intro; reflexivity | discriminate].
  - destruct (pivot_of rows) as [(a, x)|] eqn:P.
    + apply pivot_some in P as (A & P). assert (Ar : IZR a <> 0) by (now apply not_0_IZR).
      destruct (IH (map (fun r => primitive (Cones.combined a (tl r) (- hd 0%Z r) x)) rows)) as (b & L & In_ & N & Sp).
      assert (Red : forall r w, zdot (primitive (Cones.combined a (tl r) (- hd 0%Z r) x)) w = 0 <-> IZR a * zdot (tl r) w - IZR (hd 0%Z r) * zdot x w = 0).
      { intros r w. destruct (primitive_spec (Cones.combined a (tl r) (- hd 0%Z r) x)) as (k & K & Q). specialize (Q w).
        rewrite zdot_combined, opp_IZR in Q. split; intro H.
        - rewrite H in Q. lra.
        - apply Rmult_eq_reg_l with k; [|lra]. rewrite <- Q. lra. }
      set (f := fun w => (- zdot x w / IZR a) :: w). exists (map f b). rewrite map_length. split; [exact L|]. split; [|split].
      * intros c Lc Z. rewrite map_length in Lc. apply In_; [exact Lc|]. intro z. specialize (Z (0 :: z)). rewrite dot_combination_map in Z.
        rewrite dot_combination. simpl in Z. simpl. rewrite <- Z. apply sum_ext. intros (t, w) _. unfold f. simpl. ring.
      * intros v V. apply in_map_iff in V as (w & <- & W). destruct (N w W) as (Lw & Nw). split; [unfold f; simpl; now rewrite Lw|].
        intros r R. unfold f. rewrite zdot_cons. specialize (Nw _ (in_map _ _ _ R)). apply Red in Nw.
        apply Rmult_eq_reg_l with (IZR a); [|exact Ar]. rewrite Rmult_0_r, <- Nw. field. exact Ar.
      * intros u (Lu & Nu). destruct u as [|h w]; [discriminate|]. injection Lu as Lu.
        assert (Hh : IZR a * h = - zdot x w). { specialize (Nu _ P). rewrite zdot_cons in Nu. simpl in Nu. lra. }
        destruct (Sp w) as (c & Lc & E).
        { split; [exact Lu|]. intros r R. apply in_map_iff in R as (q & <- & Q). apply Red. specialize (Nu q Q). rewrite zdot_cons in Nu.
          replace (zdot x w) with (- (IZR a * h)) by lra. replace (IZR a * zdot (tl q) w - IZR (hd 0%Z q) * - (IZR a * h)) with (IZR a * (IZR (hd 0%Z q) * h + zdot (tl q) w)) by ring.
          rewrite Nu. ring. }
        exists c. split; [exact Lc|]. intros [|k z]; [now rewrite !dot_nil_r|]. rewrite dot_combination_map.
        assert (Split : sum (map (fun p => fst p * dot (f (snd p)) (k :: z)) (combine c b)) =
                        sum (map (fun p => fst p * dot (snd p) z) (combine c b)) + - k / IZR a * sum (map (fun p => fst p * dot (snd p) (map IZR x)) (combine c b))).
        { rewrite <- sum_times, <- sum_plus. apply sum_ext. intros (t, v) _. unfold f, zdot. simpl. rewrite (dot_comm (map IZR x) v). field. exact Ar. }
        rewrite Split, <- !dot_combination, <- !E. simpl. rewrite (dot_comm w (map IZR x)). fold (zdot x w).
        replace (zdot x w) with (- (IZR a * h)) by lra. field. exact Ar.
    + pose proof (pivot_none _ P) as Z0. destruct (IH (map (@tl Z) rows)) as (b & L & In_ & N & Sp).
      exists ((1 :: repeat 0 d) :: map (cons 0) b). split; [|split; [|split]].
      * cbn [length]. rewrite map_length. now f_equal.
      * intros c Lc Z. cbn [length] in Lc. rewrite map_length in Lc. destruct c as [|t c]; [discriminate|]. injection Lc as Lc.
        assert (D : forall y, dot (combination (t :: c) ((1 :: repeat 0 d) :: map (cons 0) b)) y =
                    t * dot (1 :: repeat 0 d) y + sum (map (fun p => fst p * dot (0 :: snd p) y) (combine c b))).
        { intro y. unfold combination. cbn [combine map total fold_right fst snd]. rewrite dot_plus, dot_times. f_equal. apply (dot_combination_map c (cons 0)). }
        assert (T : t = 0).
        { specialize (Z [1]). rewrite D in Z. rewrite (sum_ext _ (fun _ => 0)), sum_zero in Z; [simpl in Z; rewrite dot_nil_r in Z; lra|].
          intros (s, w) _. simpl. rewrite dot_nil_r. ring. }
        intros s [<-|I]; [exact T|]. revert s I. apply In_; [exact Lc|]. intro z. specialize (Z (0 :: z)). rewrite D in Z. rewrite dot_combination.
        simpl in Z. simpl. rewrite T in Z. rewrite <- Z. rewrite Rmult_0_l, Rplus_0_l. apply sum_ext. intros (s, w) _. simpl. ring.
      * intros v [<-|V].
        { split; [simpl; now rewrite repeat_length|]. intros r R. rewrite zdot_cons, (Z0 r R). unfold zdot. rewrite (dot_comm _ (repeat 0 d)), dot_repeat. ring. }
        apply in_map_iff in V as (w & <- & W). destruct (N w W) as (Lw & Nw). split; [simpl; now rewrite Lw|].
        intros r R. rewrite zdot_cons, (Nw (tl r)) by (now apply in_map). ring.
      * intros u (Lu & Nu). destruct u as [|h w]; [discriminate|]. injection Lu as Lu. destruct (Sp w) as (c & Lc & E).
        { split; [exact Lu|]. intros r R. apply in_map_iff in R as (q & <- & Q). specialize (Nu q Q). rewrite zdot_cons, (Z0 q Q) in Nu. lra. }
        exists (h :: c). split; [cbn [length]; rewrite map_length; now f_equal|]. intros [|k z]; [now rewrite !dot_nil_r|].
        unfold combination. cbn [combine map total fold_right fst snd]. rewrite dot_plus, dot_times.
        change (fold_right plus [] (map (fun p => times (fst p) (snd p)) (combine c (map (cons 0) b)))) with (combination c (map (cons 0) b)).
        rewrite dot_combination_map, (sum_ext _ (fun p => fst p * dot (snd p) z)) by (intros (s, v) _; simpl; ring).
        rewrite <- dot_combination, <- E. simpl. rewrite dot_repeat. ring.
Qed.

(* --- the cone --- *)

Lemma placed_point g z : forall rows pattern l i, placed rows pattern z l = true -> forall k r, nth_error (real_rows g i rows) k = Some r ->
  if nth k pattern false then 0 < dot (point r) (vals z) else dot (point r) (vals z) <= 0.
Proof.
  induction rows as [|p rows IH]; intros [|s pattern] [|w l] i H [|k] r E; simpl in H, E; try discriminate.
  - rewrite !andb_true_iff in H. destruct H as (((T & _) & _) & _). injection E as <-. simpl. fold (vals (dpoint p)).
    destruct s; [rewrite dlt_spec in T | rewrite dle_spec in T]; rewrite val_dot, val_zero in T; exact T.
  - rewrite !andb_true_iff in H. destruct H as (_ & H). exact (IH pattern l (S i) H k r E).
Qed.
Lemma placed_sum g z u : forall rows pattern l i, placed rows pattern z l = true ->
  (forall k r, nth_error (real_rows g i rows) k = Some r -> if nth k pattern false then 0 < dot (point r) u else dot (point r) u <= 0) ->
  sum (map (fun a => dot (vals a) u) (Matrix.combined rows l)) <= 0 /\
  (sum (map (fun a => dot (vals a) u) (Matrix.combined rows l)) = 0 -> forall x, In x (forced rows z) -> dot (vals x) u = 0).
Proof.
  induction rows as [|p rows IH]; intros [|s pattern] [|w l] i H U; simpl in H; try discriminate.
  - simpl. split; [lra|]. intros _ x [].
  - rewrite !andb_true_iff in H. destruct H as (((T & W) & F) & H). apply eqb_prop in F. rewrite dle_spec, val_zero in W.
    destruct (IH pattern l (S i) H) as (A & B). { intros k r E. exact (U (S k) r E). }
    pose proof (U O _ eq_refl) as U0. simpl in U0. fold (vals (dpoint p)) in U0.
    unfold forced in *. cbn [map filter Matrix.combined sum fold_right]. fold (sum (map (fun a => dot (vals a) u) (Matrix.combined rows l))).
    rewrite vals_times, dot_times. destruct (negb (dnull (dpoint p)) && deq (ddot (dpoint p) z) dzero) eqn:C.
    + symmetry in F. rewrite dlt_spec, val_zero in F. apply andb_true_iff in C as (_ & C). rewrite deq_spec, val_zero in C.
      assert (U1 : dot (vals (dpoint p)) u <= 0). { destruct s; [rewrite dlt_spec, val_zero in T; lra | exact U0]. }
      assert (val w * dot (vals (dpoint p)) u <= 0) by nra. split; [lra|]. intros E x [<-|I].
      * assert (Q : val w * dot (vals (dpoint p)) u = 0) by lra. apply Rmult_integral in Q as [Q|Q]; [lra | exact Q].
      * apply B; [lra | exact I].
    + assert (Wz : val w = 0). { destruct (Rle_dec (val w) 0); [lra|]. assert (dlt dzero w = true) by (apply dlt_spec; rewrite val_zero; lra). congruence. }
      rewrite Wz. split; [lra|]. intros E x I. apply B; [lra | exact I].
Qed.

Theorem check_dimension_sound d g rows pattern z l k : check_dimension d rows pattern z l = Some k ->
  forall free, claim_holds free d g (real_rows g 0 rows) (ConeDimension pattern k).
Proof.
  unfold check_dimension. destruct (Nat.eqb (length z) d && placed rows pattern z l && dnull (dtotal (Matrix.combined rows l))) eqn:C; [|discriminate].
  intros [= <-] free. rewrite !andb_true_iff, Nat.eqb_eq in C. destruct C as ((L & P) & Z). cbn [claim_holds]. set (R := real_rows g 0 rows).
  assert (Iz : in_pattern d R pattern (vals z)). { split; [now rewrite vals_length|]. intros i r E. exact (placed_point g z rows pattern l 0 P i r E). }
  split; [now exists (vals z)|].
  set (F := forced rows z). set (M := map (fun x => primitive (whole_row x)) F).
  assert (Vanish : forall x u, zdot (primitive (whole_row x)) u = 0 <-> dot (vals x) u = 0).
  { intros x u. destruct (whole_row_spec x) as (c & Cp & Q). destruct (primitive_spec (whole_row x)) as (e & Ep & Q2). rewrite Q, Q2.
    assert (0 < c * e) by nra. split; intro N; [rewrite N; ring|]. rewrite <- Rmult_assoc in N. apply Rmult_integral in N as [N|N]; [lra | exact N]. }
  assert (Orth : forall u, null_of d M u <-> length u = d /\ forall x, In x F -> dot (vals x) u = 0).
  { intro u. split; intros (Lu & H); (split; [exact Lu|]).
    - intros x X. apply Vanish, H. now apply (in_map (fun x => primitive (whole_row x))).
    - intros r I. apply in_map_iff in I as (x & <- & X). apply Vanish. now apply H. }
  destruct (nullity_spec d M) as (b & Lb & Ib & Nb & Sb). exists b. split; [exact Lb|]. split; [exact Ib|]. split.
  - intros v V. apply Nb, Orth in V as (Lv & V). destruct (small_step R (vals z) v) as (e & E & S). exists (/ e), (plus (vals z) (times e v)), (vals z).
    split; [|split; [exact Iz|]].
    + split.
      { assert (G : forall a b : vec, length a = length b -> length (plus a (times e b)) = length a).
        { clear. induction a as [|p a IH]; intros [|q b] H; simpl in *; try discriminate; auto. }
        rewrite G; rewrite vals_length; congruence. }
      intros i r H. pose proof (proj2 Iz i r H) as Pz. pose proof (nth_error_In _ _ H) as I. rewrite dot_plus_r, dot_times_r.
      destruct (Req_dec (dot (point r) (vals z)) 0) as [Q|Q].
      * assert (V0 : dot (point r) v = 0).
        { destruct (row_real_in g 0 rows r I) as (p & Ip & Ep & _). rewrite Ep in Q |- *. destruct (dnull (dpoint p)) eqn:D; [now apply dnull_spec|].
          apply V. apply filter_In. split; [now apply in_map|]. rewrite D. simpl. apply deq_spec. now rewrite val_dot, val_zero. }
        rewrite V0, Rmult_0_r, Rplus_0_r. exact Pz.
      * specialize (S r I Q). destruct (nth i pattern false); unfold Rabs in S; destruct (Rcase_abs (e * dot (point r) v)), (Rcase_abs (dot (point r) (vals z))); lra.
    + intro y. rewrite dot_times, !dot_plus, !dot_times. field. lra.
  - intros u (Lu & U). apply Sb, Orth. split; [exact Lu|]. destruct (placed_sum g z u rows pattern l 0 P U) as (_ & H). apply H.
    rewrite <- dot_dtotal. now apply dnull_spec.
Qed.
