(* SPDX-License-Identifier: Apache-2.0 *)
(* Margins of infinite width in at most three columns (docs/reference/certificate.md, Section 6): shares of all cones. The normals n_1, .., n_k of the sides of a cone, one
   after another around it, give its share, 1/2 - (t_12 + t_23 + .. + t_k1) / (4 pi), t_ij the angle of n_i and n_j [Girard]: the signs of <n_i, u> change at 0 or 2
   places of the circle, at none where u or -u is in the cone, and at a given place for the t_ij / pi th part of all u. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Means Angles Cones Train Margins.
Import ListNotations.

(* --- the check --- *)

Definition dcross (a b : list dyadic) : list dyadic :=
  let p k l := dmul (nth k a dzero) (nth l b dzero) in [dsub (p 1 2) (p 2 1); dsub (p 2 0) (p 0 2); dsub (p 0 1) (p 1 0)]%nat.
Definition ddet (a b c : list dyadic) : dyadic := ddot (dcross a b) c.
(* A row x and whether it is open on the cone; the normal that points into it. *)
Definition half_space := (list dyadic * bool)%type.
Definition turned (p : half_space) : list dyadic := if snd p then fst p else map dneg (fst p).

(* The sides of the cone around v, by wrapping the normals: nothing is proved of that. *)
Definition numbered := (Z * list dyadic)%type.
Fixpoint number_from (i : Z) (l : list (list dyadic)) : list numbered := match l with [] => [] | x :: l => (i, x) :: number_from (i + 1) l end.
Definition ratio_below (v : list dyadic) (k : nat) (a b : list dyadic) : Z :=
  dsgn (dsub (dmul (nth k a dzero) (ddot b v)) (dmul (nth k b dzero) (ddot a v))).
Definition before (v a b : list dyadic) : bool :=
  match ratio_below v 0 a b, ratio_below v 1 a b with
  | Zneg _, _ => true | Z0, Zneg _ => true | Z0, Z0 => Z.ltb (ratio_below v 2 a b) 0 | _, _ => false
  end.
Definition next_side (p : list dyadic) (all : list numbered) : option numbered :=
  fold_left (fun found r =>
    let c := dcross p (snd r) in
    match found with
    | None => if dnull c then None else Some r
    | Some q => let side := ddot (dcross p (snd q)) (snd r) in
                if dlt side dzero || (deq side dzero && dlt dzero (ddot (dcross (snd q) (snd r)) (dcross p (snd q)))) then Some r else found
    end) all None.
Fixpoint wrapped (fuel : list numbered) (start : list dyadic) (p : list dyadic) (all : list numbered) : list Z :=
  match fuel with
  | [] => []
  | _ :: fuel => match next_side p all with
                 | Some q => if dnull (dcross start (snd q)) then [] else fst q :: wrapped fuel start (snd q) all
                 | None => []
                 end
  end.
Definition sides_of (v : list dyadic) (all : list numbered) : list Z :=
  match all with
  | [] => []
  | r :: rest => let first := fold_left (fun a b => if before v (snd b) (snd a) then b else a) rest r in fst first :: wrapped all (snd first) (snd first) all
  end.

(* What is proved: every row is a sum of sides, and three of them in their order turn to the left. *)
Definition same_ray (a n : list dyadic) : bool := dlt dzero (ddot a n) && deq (dmul (ddot a n) (ddot a n)) (dmul (ddot a a) (ddot n n)).
Definition between_three (a b c n : list dyadic) : bool :=
  dlt dzero (ddet a b c) && dle dzero (ddet n b c) && dle dzero (ddet a n c) && dle dzero (ddet a b n).
Definition between_two (a b n : list dyadic) : bool := let c := dcross a b in between_three a b c n && deq (ddet a b n) dzero.
Fixpoint in_fan (a b : list dyadic) (l : list (list dyadic)) (n : list dyadic) : bool :=
  match l with [] => false | c :: l => between_three a b c n || in_fan a c l n end.
Definition in_sides (sides : list (list dyadic)) (n : list dyadic) : bool :=
  match sides with
  | [] => false
  | a :: rest => same_ray a n || match rest with [] => false | b :: more => between_two a b n || in_fan a b more n end
  end.
Fixpoint left_of (a : list dyadic) (l : list (list dyadic)) : bool :=
  match l with [] => true | b :: l => let c := dcross a b in forallb (fun n => dlt dzero (ddot c n)) l && left_of a l end.
Fixpoint all_left (l : list (list dyadic)) : bool := match l with [] => true | a :: l => left_of a l && all_left l end.
Fixpoint lookup (xs : list (list dyadic)) (v : list dyadic) (l : list Z) : option (list half_space) :=
  match l with
  | [] => Some []
  | i :: l => match znth i xs, lookup xs v l with Some x, Some more => Some ((x, dlt dzero (ddot x v)) :: more) | _, _ => None end
  end.
Definition cell_of (xs : list (list dyadic)) (v : list dyadic) : option (list half_space) :=
  let normals := map (fun x => turned (x, dlt dzero (ddot x v))) xs in
  match lookup xs v (sides_of v (number_from 0 normals)) with
  | Some h => let sides := map turned h in
              if (Nat.eqb (length h) 0 && Nat.eqb (length xs) 0 || forallb (in_sides sides) normals) && all_left sides then Some h else None
  | None => None
  end.
Fixpoint cells_of (xs : list (list dyadic)) (l : list (list dyadic)) : option (list (list half_space)) :=
  match l with
  | [] => Some []
  | v :: l => match cell_of xs v, cells_of xs l with Some c, Some rest => Some (c :: rest) | _, _ => None end
  end.

(* Neighbours around the circle, and the share of the cone. *)
Fixpoint chain {A} (first a : A) (l : list A) : list (A * A) := match l with [] => [(a, first)] | b :: l => (a, b) :: chain first b l end.
Definition change_between (p : half_space * half_space) : dyadic * dyadic :=
  let x := fst (fst p) in let z := fst (snd p) in
  let turn := turn_between (ddot x z) (ddot x x) (ddot z z) in
  let a := dadd (fst turn) (fst turn) in let b := dadd (snd turn) (snd turn) in
  if eqb (snd (fst p)) (snd (snd p)) then (a, b) else (dsub done b, dsub done a).
Definition share_between (h : list half_space) : dyadic * dyadic :=
  match h with
  | [] => (done, done)
  | p :: l => let changes := map change_between (chain p p l) in
              let less s := dhalf (dsub done (dhalf (dsum s))) in (less (map snd changes), less (map fst changes))
  end.

Definition low_score (shares : list (dyadic * dyadic)) (w : list (list dyadic)) (p : orow) : dyadic :=
  dsum (map (fun j => if snd p j then let t := dmul (dentry (dtarget (fst p))) (ddot (dpoint (fst p)) (nth j w [])) in
                        let s := nth j shares (dzero, dzero) in dmin (dmul t (fst s)) (dmul t (snd s)) else dzero) (seq 0 (length shares))).
Definition high_lengths (g : gates) (shares : list (dyadic * dyadic)) (l : list (orow * dyadic)) : dyadic :=
  dsum (map (fun j => dmul (snd (nth j shares (dzero, dzero))) (let s := weighted g FirstLayer j l in dsqrt_up (ddot s s))) (seq 0 (length shares))).
Definition check_wide (d : nat) (g : gates) (rows : list drow) (w : list (list dyadic)) (q : list dyadic) (claimed : dyadic * dyadic) : option (dyadic * dyadic) :=
  match g with
  | Patterns _ => None
  | Orientations l =>
      match cells_of (nonzero_points rows) l with
      | None => None
      | Some cells =>
          let shares := map share_between cells in
          let all := opened g 0 rows in
          let low := least (map (low_score shares w) all) in
          let high := ddiv_up (high_lengths g shares (combine all q)) (dsum q) in
          if cones_ok d g rows && signs rows && forallb (fun x => Nat.leb (length x) 3) (map dpoint rows) && Nat.eqb (length q) (length rows) &&
             forallb (fun v => dle (ddot v v) done) w && forallb (fun t => dle dzero t) q && dlt dzero (dsum q) &&
             dle (snd claimed) low && dle high (fst claimed)
          then Some (double_up high, double_down low) else None
      end
  end.

(* --- three columns --- *)
Open Scope R_scope.

Definition cross (a b : vec) : vec :=
  [nth 1 a 0 * nth 2 b 0 - nth 2 a 0 * nth 1 b 0; nth 2 a 0 * nth 0 b 0 - nth 0 a 0 * nth 2 b 0; nth 0 a 0 * nth 1 b 0 - nth 1 a 0 * nth 0 b 0].
Definition det (a b c : vec) : R := dot (cross a b) c.
Lemma vals_cross a b : vals (dcross a b) = cross (vals a) (vals b).
Proof. unfold dcross, cross. cbn [vals map]. now rewrite !val_sub, !val_mul, !vals_nth. Qed.
Lemma val_det a b c : val (ddet a b c) = det (vals a) (vals b) (vals c).
Proof. unfold ddet, det. now rewrite val_dot, vals_cross. Qed.
Lemma dot_three p u : (length p <= 3)%nat -> dot p u = nth 0 p 0 * nth 0 u 0 + nth 1 p 0 * nth 1 u 0 + nth 2 p 0 * nth 2 u 0.
Proof.
  destruct p as [|a [|b [|c [|]]]]; simpl; intro L; try lia; destruct u as [|x [|y [|z u]]]; simpl; ring.
Qed.
Lemma cross_short a b : (length (cross a b) <= 3)%nat.
Proof. simpl. lia. Qed.
Ltac in_coordinates := unfold det; rewrite ?(dot_three (cross _ _)) by apply cross_short; unfold cross; cbn [nth].
Lemma cramer a b c n u : (length a <= 3)%nat -> (length b <= 3)%nat -> (length c <= 3)%nat -> (length n <= 3)%nat ->
  det a b c * dot n u = det n b c * dot a u + det a n c * dot b u + det a b n * dot c u.
Proof. intros A B C N. rewrite (dot_three a), (dot_three b), (dot_three c), (dot_three n) by assumption. in_coordinates. ring. Qed.
Lemma four_vectors a b c e u : (length a <= 3)%nat -> (length b <= 3)%nat -> (length c <= 3)%nat -> (length e <= 3)%nat ->
  det b c e * dot a u - det a c e * dot b u + det a b e * dot c u - det a b c * dot e u = 0.
Proof. intros A B C N. rewrite (dot_three a), (dot_three b), (dot_three c), (dot_three e) by assumption. in_coordinates. ring. Qed.

(* --- signs around a circle --- *)

Section Circle.
  Variables (A : Type) (g : A -> R).
  Hypothesis sign : forall a, g a = 0 \/ g a = 1.
  Definition differ (p : A * A) : R := g (fst p) + g (snd p) - 2 * (g (fst p) * g (snd p)).
  Fixpoint every (l : list A) : R := match l with [] => 1 | a :: l => g a * every l end.
  Fixpoint none (l : list A) : R := match l with [] => 1 | a :: l => (1 - g a) * none l end.
  Lemma every_zero a l : In a l -> g a = 0 -> every l = 0.
  Proof. induction l as [|b l IH]; simpl; [tauto|]. intros [->|I] Z; [rewrite Z; ring | rewrite IH by assumption; ring]. Qed.
  Lemma none_zero a l : In a l -> g a = 1 -> none l = 0.
  Proof. induction l as [|b l IH]; simpl; [tauto|]. intros [->|I] Z; [rewrite Z; ring | rewrite IH by assumption; ring]. Qed.
  Lemma every_one l : (forall a, In a l -> g a = 1) -> every l = 1.
  Proof. induction l as [|b l IH]; intro H; simpl; [reflexivity|]. rewrite (H b), IH; auto; [ring | intros; apply H; now right | now left]. Qed.
  Lemma none_one l : (forall a, In a l -> g a = 0) -> none l = 1.
  Proof. induction l as [|b l IH]; intro H; simpl; [reflexivity|]. rewrite (H b), IH; auto; [ring | intros; apply H; now right | now left]. Qed.
  Lemma first_change x l : (forall y, In y l -> g y = g x) \/ exists l1 y l2, l = l1 ++ y :: l2 /\ (forall z, In z l1 -> g z = g x) /\ g y = 1 - g x.
  Proof.
    induction l as [|y l IH]; [left; intros y []|]. destruct (Req_dec (g y) (g x)) as [E|N].
    - destruct IH as [IH|(l1 & z & l2 & -> & H & Z)].
      + left. intros z [<-|I]; auto.
      + right. exists (y :: l1), z, l2. split; [reflexivity|]. split; [|exact Z]. intros w [<-|I]; auto.
    - right. exists [], y, l. split; [reflexivity|]. split; [intros z []|]. destruct (sign x) as [X|X], (sign y) as [E|E]; rewrite X, E in *; try lra; now destruct N.
  Qed.
  Lemma chain_same f : forall l x, (forall y, In y l -> g y = g x) -> sum (map differ (chain f x l)) = differ (x, f).
  Proof.
    induction l as [|y l IH]; intros x H; [simpl; ring|]. cbn [chain map sum fold_right]. fold (sum (map differ (chain f y l))). rewrite IH.
    - unfold differ. cbn [fst snd]. rewrite (H y) by now left. destruct (sign x) as [->| ->]; ring.
    - intros z I. rewrite (H z), (H y); auto; [now left | now right].
  Qed.
  Lemma chain_change f y l2 : forall l1 x, (forall z, In z l1 -> g z = g x) -> g y = 1 - g x -> sum (map differ (chain f x (l1 ++ y :: l2))) = 1 + sum (map differ (chain f y l2)).
  Proof.
    induction l1 as [|z l1 IH]; intros x H Y; cbn [app chain map sum fold_right].
    - fold (sum (map differ (chain f y l2))). unfold differ at 1. cbn [fst snd]. rewrite Y. destruct (sign x) as [->| ->]; ring.
    - fold (sum (map differ (chain f z (l1 ++ y :: l2)))). rewrite IH.
      + unfold differ at 1. cbn [fst snd]. rewrite (H z) by now left. destruct (sign x) as [->| ->]; ring.
      + intros w I. rewrite (H w), (H z); auto; [now left | now right].
      + rewrite (H z); auto. now left.
  Qed.
  Lemma circle x l :
    (forall l1 y l2 z l3 w l4, l = l1 ++ y :: l2 ++ z :: l3 ++ w :: l4 -> g y = 1 - g x -> g z = g x -> g w = 1 - g x -> False) ->
    every (x :: l) + none (x :: l) = 1 - sum (map differ (chain x x l)) / 2.
  Proof.
    intro Four. destruct (first_change x l) as [Same|(l1 & y & l2 & -> & S1 & Y)].
    - rewrite chain_same by exact Same. unfold differ. cbn [fst snd]. destruct (sign x) as [Z|Z].
      + rewrite (every_zero x), none_one, Z; [field | | now left | exact Z]. intros a [<-|I]; [exact Z | now rewrite Same].
      + rewrite (none_zero x), every_one, Z; [field | | now left | exact Z]. intros a [<-|I]; [exact Z | now rewrite Same].
    - assert (None : every (x :: l1 ++ y :: l2) + none (x :: l1 ++ y :: l2) = 0).
      { assert (Iy : In y (x :: l1 ++ y :: l2)) by (right; apply in_or_app; right; now left). destruct (sign x) as [Z|Z]; rewrite Z in Y.
        - rewrite (every_zero x), (none_zero y); auto; [ring | lra | now left].
        - rewrite (every_zero y), (none_zero x); auto; [ring | now left | lra]. }
      rewrite None, chain_change by assumption.
      destruct (first_change y l2) as [Same|(l3 & z & l4 & -> & S2 & Z)].
      + rewrite chain_same by exact Same. unfold differ. cbn [fst snd]. rewrite Y. destruct (sign x) as [->| ->]; field.
      + rewrite chain_change by assumption. destruct (first_change z l4) as [Same|(l5 & w & l6 & -> & S3 & W)].
        * rewrite chain_same by exact Same. unfold differ. cbn [fst snd]. rewrite Z, Y. destruct (sign x) as [->| ->]; field.
        * exfalso. apply (Four l1 y l3 z l5 w l6); [reflexivity | exact Y | rewrite Z, Y; ring | rewrite W, Z, Y; ring].
  Qed.
End Circle.

(* --- one cone --- *)

Definition pos (x : list dyadic) (u : vec) : R := if Rlt_dec 0 (dot (vals x) u) then 1 else 0.
Definition open_on (u : vec) (p : half_space) : R := if snd p then pos (fst p) u else 1 - pos (fst p) u.
Lemma open_sign u p : open_on u p = 0 \/ open_on u p = 1.
Proof. unfold open_on, pos. destruct (snd p), (Rlt_dec 0 _); lra. Qed.
Lemma vals_opposite x : vals (map dneg x) = times (-1) (vals x).
Proof. unfold vals, times. rewrite !map_map. apply map_ext. intro a. rewrite val_neg. ring. Qed.
Lemma turned_dot p u : dot (vals (turned p)) u = if snd p then dot (vals (fst p)) u else - dot (vals (fst p)) u.
Proof. unfold turned. destruct (snd p); [reflexivity|]. rewrite vals_opposite, dot_times. ring. Qed.
Lemma turned_short p : (length (fst p) <= 3)%nat -> (length (vals (turned p)) <= 3)%nat.
Proof. rewrite vals_length. unfold turned. destruct (snd p); [auto|]. now rewrite map_length. Qed.
Lemma open_one u p : dot (vals (fst p)) u <> 0 -> (open_on u p = 1 <-> 0 < dot (vals (turned p)) u).
Proof. intro N. rewrite turned_dot. unfold open_on, pos. destruct (snd p), (Rlt_dec 0 _); split; intro; lra. Qed.
Lemma open_mirror u p : dot (vals (fst p)) u <> 0 -> open_on (times (-1) u) p = 1 - open_on u p.
Proof. intro N. unfold open_on, pos. rewrite dot_times_r. destruct (snd p), (Rlt_dec 0 (dot (vals (fst p)) u)), (Rlt_dec 0 (-1 * dot (vals (fst p)) u)); lra. Qed.

Lemma left_of_spec a l1 b l2 n : left_of a (l1 ++ b :: l2) = true -> In n l2 -> 0 < det (vals a) (vals b) (vals n).
Proof.
  induction l1 as [|c l1 IH]; cbn [app left_of]; rewrite andb_true_iff; intros (H & L) I; [|auto].
  rewrite forallb_forall in H. specialize (H n I). change (ddot (dcross a b) n) with (ddet a b n) in H. now rewrite dlt_spec, val_zero, val_det in H.
Qed.
Lemma all_left_spec l1 a l2 : all_left (l1 ++ a :: l2) = true -> left_of a l2 = true.
Proof. induction l1 as [|c l1 IH]; simpl; rewrite andb_true_iff; tauto. Qed.
Lemma same_ray_spec a n u : same_ray a n = true -> 0 <= dot (vals a) u -> 0 <= dot (vals n) u.
Proof.
  unfold same_ray. rewrite andb_true_iff, dlt_spec, deq_spec, val_zero, !val_mul, !val_dot. intros (P & E) H.
  assert (A : 0 < dot (vals a) (vals a)).
  { pose proof (dot_self (vals a)). destruct (Req_dec (dot (vals a) (vals a)) 0) as [Z|]; [|lra]. rewrite (dot_null _ (vals n) Z) in P. lra. }
  rewrite (parallel _ _ A E u). apply Rmult_le_pos; [|exact H]. apply Rlt_le, Rdiv_lt_0_compat; assumption.
Qed.
Definition short (a : list dyadic) : Prop := (length a <= 3)%nat.
Lemma between_three_spec a b c n u : short a -> short b -> short c -> short n -> between_three a b c n = true ->
  0 <= dot (vals a) u -> 0 <= dot (vals b) u -> (0 <= dot (vals c) u \/ det (vals a) (vals b) (vals n) = 0) -> 0 <= dot (vals n) u.
Proof.
  unfold short, between_three. intros A B C N. rewrite !andb_true_iff, dlt_spec, !dle_spec, val_zero, !val_det. intros (((D & P) & Q) & S) Ha Hb Hc.
  pose proof (cramer (vals a) (vals b) (vals c) (vals n) u) as K. rewrite !vals_length in K. specialize (K A B C N).
  assert (0 <= det (vals a) (vals b) (vals n) * dot (vals c) u). { destruct Hc as [Hc|Z]; [now apply Rmult_le_pos | rewrite Z; lra]. }
  assert (0 <= det (vals n) (vals b) (vals c) * dot (vals a) u) by (now apply Rmult_le_pos).
  assert (0 <= det (vals a) (vals n) (vals c) * dot (vals b) u) by (now apply Rmult_le_pos).
  destruct (Rle_dec 0 (dot (vals n) u)); auto. exfalso. assert (det (vals a) (vals b) (vals c) * dot (vals n) u < 0) by nra. lra.
Qed.
Lemma in_fan_spec a n u : short a -> short n -> 0 <= dot (vals a) u -> forall l b, short b -> (forall c, In c l -> short c) -> in_fan a b l n = true ->
  0 <= dot (vals b) u -> (forall c, In c l -> 0 <= dot (vals c) u) -> 0 <= dot (vals n) u.
Proof.
  intros A N Ha. induction l as [|c l IH]; intros b B L H Hb Hl; simpl in H; [discriminate|]. apply orb_true_iff in H as [H|H].
  - apply (between_three_spec a b c n u); auto. + apply L. now left. + left. apply Hl. now left.
  - apply (IH c); auto. + apply L. now left. + intros e I. apply L. now right. + apply Hl. now left. + intros e I. apply Hl. now right.
Qed.
Lemma in_sides_spec sides n u : (forall a, In a sides -> short a) -> short n -> in_sides sides n = true -> (forall a, In a sides -> 0 <= dot (vals a) u) -> 0 <= dot (vals n) u.
Proof.
  intros S N H P. destruct sides as [|a rest]; [discriminate|]. simpl in H. apply orb_true_iff in H as [H|H]; [apply (same_ray_spec a); auto; apply P; now left|].
  destruct rest as [|b more]; [discriminate|]. apply orb_true_iff in H as [H|H].
  - unfold between_two in H. apply andb_true_iff in H as (H & Z). rewrite deq_spec, val_zero, val_det in Z.
    apply (between_three_spec a b (dcross a b) n u).
    + apply S. now left. + apply S. right. now left. + unfold short. simpl. lia. + exact N. + exact H. + apply P. now left. + apply P. right. now left.
    + right. exact Z.
  - apply (in_fan_spec a n u) with (l := more) (b := b).
    + apply S. now left. + exact N. + apply P. now left. + apply S. right. now left. + intros c I. apply S. right. now right. + exact H.
    + apply P. right. now left. + intros c I. apply P. right. now right.
Qed.

Section Cell.
  Variables (rs : list row) (E : average rs) (h : list half_space).
  Hypothesis rows_of : forall p, In p h -> short (fst p) /\ exists r, In r rs /\ point r = vals (fst p) /\ 0 < dot (point r) (point r).
  Hypothesis left_turns : all_left (map turned h) = true.

  Lemma off_rows u p : off rs u -> In p h -> dot (vals (fst p)) u <> 0.
  Proof. intros O I. destruct (rows_of p I) as (_ & r & R & <- & P). apply O; auto. lra. Qed.
  Lemma side_pos r x u : point r = vals x -> side r u = pos x u.
  Proof. unfold side, pos. now intros ->. Qed.
  Definition part (p : half_space * half_space) : R :=
    let t := angle (vals (fst (fst p))) (vals (fst (snd p))) / PI in if eqb (snd (fst p)) (snd (snd p)) then t else 1 - t.
  Lemma has_differ p q : In p h -> In q h -> has rs E (fun u => differ _ (open_on u) (p, q)) (part (p, q)).
  Proof.
    intros I J. destruct (rows_of p I) as (_ & r & R & Pr & Np). destruct (rows_of q J) as (_ & s & S & Ps & Nq). pose proof PI_RGT_0 as Pi.
    assert (H : has rs E (fun u => side r u + (side s u + -2 * (side r u * side s u))) (angle (point r) (point s) / PI)).
    { eapply has_value; [apply has_plus; [now apply has_side|]; apply has_plus; [now apply has_side|]; apply has_times, has_pair; auto|].
      unfold half, angle. field. lra. }
    unfold part, differ. cbn [fst snd]. rewrite <- Pr, <- Ps. unfold open_on. destruct (snd p), (snd q); cbn [eqb].
    - eapply has_ext; [exact H|]. intro u. cbv beta. rewrite (side_pos r (fst p)), (side_pos s (fst q)) by assumption. ring.
    - eapply has_ext; [eapply has_value; [apply has_plus; [apply (has_constant rs E 1) | apply (has_times rs E (-1)); exact H] | ring]|].
      intro u. cbv beta. rewrite (side_pos r (fst p)), (side_pos s (fst q)) by assumption. ring.
    - eapply has_ext; [eapply has_value; [apply has_plus; [apply (has_constant rs E 1) | apply (has_times rs E (-1)); exact H] | ring]|].
      intro u. cbv beta. rewrite (side_pos r (fst p)), (side_pos s (fst q)) by assumption. ring.
    - eapply has_ext; [exact H|]. intro u. cbv beta. rewrite (side_pos r (fst p)), (side_pos s (fst q)) by assumption. ring.
  Qed.
  Lemma cell_integrable : forall l, (forall p, In p l -> In p h) -> integrable _ E (fun u => every _ (open_on u) l).
  Proof.
    induction l as [|p l IH]; intro H; [exact (proj1 (of_one _ E))|]. assert (Il : integrable _ E (fun u => every _ (open_on u) l)) by (apply IH; intros; apply H; now right).
    destruct (rows_of p (H p (or_introl eq_refl))) as (_ & r & R & P & _). pose proof (has_part rs E r _ R Il) as K. cbn [every].
    unfold open_on at 1. destruct (snd p).
    - eapply (fun H => proj1 (has_ext rs E _ _ _ K H)). intro u. cbv beta. now rewrite (side_pos r (fst p)).
    - eapply (fun H => proj1 (has_ext rs E _ _ _ (has_plus rs E _ _ _ _ (conj Il eq_refl) (has_times rs E (-1) _ _ K)) H)). intro u. cbv beta. rewrite (side_pos r (fst p)) by assumption. ring.
  Qed.
  Lemma every_mirror u : off rs u -> forall l, (forall p, In p l -> In p h) -> every _ (open_on (times (-1) u)) l = none _ (open_on u) l.
  Proof.
    intro O. induction l as [|p l IH]; intro H; simpl; [reflexivity|]. rewrite open_mirror, IH; auto; [intros; apply H; now right|]. apply off_rows; auto. apply H. now left.
  Qed.
  Lemma share_of_cell p l : h = p :: l -> has rs E (fun u => every _ (open_on u) h) (1 / 2 - sum (map part (chain p p l)) / 4).
  Proof.
    intro Eh. set (m := mean _ E (fun u => every _ (open_on u) h)).
    assert (K : has rs E (fun u => every _ (open_on u) h) m) by (split; [apply cell_integrable; auto | reflexivity]).
    assert (Both : has rs E (fun u => every _ (open_on u) h + every _ (open_on (times (-1) u)) h) (m + m)) by (apply has_plus; [exact K | now apply (has_mirror rs E (fun u => every _ (open_on u) h))]).
    assert (In_chain : forall l a q, (forall b, In b (a :: l) -> In b h) -> In q (chain p a l) -> In p h -> In (fst q) h /\ In (snd q) h).
    { clear. induction l as [|b l IH]; intros a q H Q P; simpl in Q.
      - destruct Q as [<-|[]]. simpl. split; [apply H; now left | exact P].
      - destruct Q as [<-|Q]; [simpl; split; apply H; simpl; auto|]. apply (IH b); auto. intros c C. apply H. now right. }
    assert (Ip : In p h) by (rewrite Eh; now left).
    assert (Changes : has rs E (fun u => 1 + - (1 / 2) * sum (map (fun q => differ _ (open_on u) q) (chain p p l))) (1 + - (1 / 2) * sum (map part (chain p p l)))).
    { apply has_plus; [apply has_constant|]. apply has_times. apply (has_sum rs E (fun q u => differ _ (open_on u) q) part). intros (a, b) Q.
      destruct (In_chain l p (a, b)) as (Ia & Ib); auto. { intros c C. now rewrite Eh. } now apply has_differ. }
    assert (Eq : m + m = 1 + - (1 / 2) * sum (map part (chain p p l))).
    { apply (has_unique rs E (fun u => 1 + - (1 / 2) * sum (map (fun q => differ _ (open_on u) q) (chain p p l)))); [|exact Changes].
      apply (has_off rs E _ _ _ Both). intros u O. rewrite (every_mirror u O) by auto. rewrite Eh.
      rewrite (circle _ (open_on u) (open_sign u) p l); [unfold Rdiv; change (map (differ _ (open_on u)) (chain p p l)) with (map (fun q => differ _ (open_on u) q) (chain p p l)); field|].
      intros l1 y l2 z l3 w l4 El Y Z W. subst l.
      assert (Is : forall a, In a [p; y; z; w] -> In a h).
      { rewrite Eh. intros a [<-|[<-|[<-|[<-|[]]]]]; [now left| | |]; right.
        - apply in_or_app. right. now left.
        - apply in_or_app. right. right. apply in_or_app. right. now left.
        - apply in_or_app. right. right. apply in_or_app. right. right. apply in_or_app. right. now left. }
      pose proof left_turns as L. rewrite Eh in L. cbn [map] in L. rewrite !map_app in L. cbn [map] in L. rewrite map_app in L. cbn [map] in L. rewrite map_app in L. cbn [map] in L.
      pose proof (all_left_spec [] (turned p) _ L) as Lp.
      pose proof (all_left_spec (turned p :: map turned l1) (turned y) _ L) as Ly.
      assert (D1 : 0 < det (vals (turned p)) (vals (turned y)) (vals (turned z))) by (eapply left_of_spec; [exact Lp | apply in_or_app; right; now left]).
      assert (D2 : 0 < det (vals (turned p)) (vals (turned y)) (vals (turned w))) by (eapply left_of_spec; [exact Lp | apply in_or_app; right; right; apply in_or_app; right; now left]).
      assert (D3 : 0 < det (vals (turned p)) (vals (turned z)) (vals (turned w))).
      { apply (left_of_spec (turned p) (map turned l1 ++ turned y :: map turned l2) (turned z) (map turned l3 ++ turned w :: map turned l4)); [|apply in_or_app; right; now left].
        rewrite <- app_assoc. exact Lp. }
      assert (D4 : 0 < det (vals (turned y)) (vals (turned z)) (vals (turned w))) by (eapply left_of_spec; [exact Ly | apply in_or_app; right; now left]).
      assert (Sh : forall a, In a h -> (length (vals (turned a)) <= 3)%nat) by (intros a I; apply turned_short; now apply rows_of).
      pose proof (four_vectors (vals (turned p)) (vals (turned y)) (vals (turned z)) (vals (turned w)) u) as F.
      specialize (F (Sh p (Is p ltac:(simpl; auto))) (Sh y (Is y ltac:(simpl; auto))) (Sh z (Is z ltac:(simpl; auto))) (Sh w (Is w ltac:(simpl; auto)))).
      assert (Sg : forall a, In a [p; y; z; w] -> (open_on u a = 1 /\ 0 < dot (vals (turned a)) u) \/ (open_on u a = 0 /\ dot (vals (turned a)) u < 0)).
      { intros a I. pose proof (off_rows u a O (Is a I)) as N. pose proof (open_one u a N) as Q. destruct (open_sign u a) as [Z0|O1].
        - right. split; [exact Z0|]. rewrite turned_dot in Q |- *. destruct (snd a); destruct (Rlt_dec 0 (dot (vals (fst a)) u)); try lra; exfalso; destruct Q as (_ & Q); rewrite Q in Z0; lra.
        - left. split; [exact O1 | now apply Q]. }
      destruct (Sg p) as [(Gp & Hp)|(Gp & Hp)]; [simpl; auto| |]; destruct (Sg y) as [(Gy & Hy)|(Gy & Hy)]; try (simpl; auto); try lra;
        destruct (Sg z) as [(Gz & Hz)|(Gz & Hz)]; try (simpl; auto); try lra; destruct (Sg w) as [(Gw & Hw)|(Gw & Hw)]; try (simpl; auto); try lra; nra. }
    eapply has_value; [exact K|]. lra.
  Qed.
  Lemma change_between_spec p q : In p h -> In q h -> val (fst (change_between (p, q))) <= part (p, q) <= val (snd (change_between (p, q))).
  Proof.
    intros I J. destruct (rows_of p I) as (_ & r & _ & Pr & Np). destruct (rows_of q J) as (_ & s & _ & Ps & Nq). rewrite Pr in Np. rewrite Ps in Nq.
    pose proof (turn_between_spec (fst p) (fst q) Np Nq) as T. pose proof PI_RGT_0 as Pi. unfold change_between, part. cbn [fst snd].
    set (t := turn_between _ _ _) in *. replace (angle (vals (fst p)) (vals (fst q)) / (2 * PI)) with (angle (vals (fst p)) (vals (fst q)) / PI / 2) in T by (field; lra).
    destruct (eqb (snd p) (snd q)); cbn [fst snd]; rewrite ?val_sub, !val_add, ?val_one; lra.
  Qed.
End Cell.

Lemma lookup_spec xs v l h : lookup xs v l = Some h -> forall p, In p h -> In (fst p) xs /\ snd p = dlt dzero (ddot (fst p) v).
Proof.
  revert h. induction l as [|i l IH]; intros h H; simpl in H; [injection H as <-; intros p []|].
  destruct (znth i xs) as [x|] eqn:Z; [|discriminate]. destruct (lookup xs v l) as [more|]; [|discriminate]. injection H as <-.
  intros p [<-|I]; [split; [eapply znth_in; eauto | reflexivity] | eauto].
Qed.
Lemma cell_of_spec xs v h : cell_of xs v = Some h -> (forall p, In p h -> In (fst p) xs /\ snd p = dlt dzero (ddot (fst p) v)) /\ all_left (map turned h) = true /\
  ((h = [] /\ xs = []) \/ forall x, In x xs -> in_sides (map turned h) (turned (x, dlt dzero (ddot x v))) = true).
Proof.
  unfold cell_of. destruct (lookup _ _ _) as [g|] eqn:L; [|discriminate]. destruct (_ && _) eqn:C; [|discriminate]. intros [= <-].
  split; [eapply lookup_spec; eauto|]. apply andb_true_iff in C as (C & A). split; [exact A|]. apply orb_true_iff in C as [C|C].
  - left. rewrite andb_true_iff, !Nat.eqb_eq in C. destruct C as (C & D). destruct g; [|discriminate]. destruct xs; [|discriminate]. auto.
  - right. intros x X. rewrite forallb_forall in C. apply C. apply (in_map (fun x => turned (x, dlt dzero (ddot x v)))), X.
Qed.
Lemma cells_of_nth xs l found : cells_of xs l = Some found -> length found = length l /\
  forall k, (k < length l)%nat -> cell_of xs (nth k l []) = Some (nth k found []).
Proof.
  revert found. induction l as [|v l IH]; intros found H; simpl in H; [injection H as <-; split; [reflexivity | simpl; lia]|].
  destruct (cell_of xs v) as [c|] eqn:C; [|discriminate]. destruct (cells_of xs l) as [rest|]; [|discriminate]. injection H as <-.
  destruct (IH rest eq_refl) as (L & N). split; [simpl; lia|]. intros [|k] K; simpl in *; [exact C | apply N; lia].
Qed.

(* --- means over all cones --- *)
Lemma sum_single (f : nat -> R) k l : NoDup l -> In k l -> (forall j, In j l -> j <> k -> f j = 0) -> sum (map f l) = f k.
Proof.
  induction l as [|j l IH]; intros N I H; simpl; [destruct I|]. inversion N as [|? ? N0 N1]; subst. destruct I as [->|I].
  - rewrite (sum_ext f (fun _ => 0)), sum_zero; [ring|]. intros i J. apply H; [now right|]. intros ->. contradiction.
  - rewrite (H j), IH; auto; [ring | now intros; apply H; [right|] | now left | intros ->; contradiction].
Qed.

Section Cells.
Variables (rs : list row) (m : nat) (s : nat -> vec -> R).
Hypothesis All : all_cones rs m.
Hypothesis Values : forall k u, s k u = 0 \/ s k u = 1.
Hypothesis Holds : forall k u, (k < m)%nat -> off rs u -> opens_as rs k u -> s k u = 1.
Hypothesis Held : forall k u, (k < m)%nat -> off rs u -> s k u = 1 -> opens_as rs k u.

Lemma one_cell u j k : off rs u -> (j < m)%nat -> (k < m)%nat -> s j u = 1 -> s k u = 1 -> j = k.
Proof.
  intros O J K Sj Sk. destruct (Nat.eq_dec j k) as [|N]; auto. exfalso.
  pose proof (Held j u J O Sj) as Oj. pose proof (Held k u K O Sk) as Ok. destruct All as (_ & D & _).
  assert (X : forall i l, (i < l < m)%nat -> opens_as rs i u -> opens_as rs l u -> False).
  { intros i l I Oi Ol. destruct (D i l I) as (r & R & Ne). apply Ne. specialize (Oi r R). specialize (Ol r R). destruct (opens r i), (opens r l); auto; intuition discriminate. }
  destruct (Nat.lt_ge_cases j k); [eapply X with (i := j) (l := k) | eapply X with (i := k) (l := j)]; eauto; lia.
Qed.
Lemma in_cell u : off rs u -> exists k, (k < m)%nat /\ s k u = 1 /\ opens_as rs k u.
Proof. intro O. destruct All as (_ & _ & C). destruct (C u O) as (k & K & P). exists k. auto. Qed.
Lemma sum_cell c u k : off rs u -> (k < m)%nat -> s k u = 1 -> sum (map (fun j => c j * s j u) (seq 0 m)) = c k.
Proof.
  intros O K S. rewrite (sum_single _ k); [rewrite S; ring | apply seq_NoDup | apply in_seq; lia|].
  intros j J N. apply in_seq in J. destruct (Values j u) as [Y|Y]; [rewrite Y; ring|]. exfalso. apply N. apply (one_cell u); auto; lia.
Qed.
Definition chosen (w : list vec) (u : vec) : vec :=
  match find (fun j => if Req_EM_T (s j u) 1 then true else false) (seq 0 m) with Some j => nth j w [] | None => [] end.
Lemma chosen_spec w u k : off rs u -> (k < m)%nat -> s k u = 1 -> chosen w u = nth k w [].
Proof.
  intros O K S. unfold chosen. destruct (find _ _) as [j|] eqn:F.
  - apply find_some in F as (J & T). apply in_seq in J. destruct (Req_EM_T (s j u) 1) as [Y|]; [|discriminate]. rewrite (one_cell u j k); auto; lia.
  - exfalso. pose proof (find_none _ _ F k ltac:(apply in_seq; lia)) as N. simpl in N. destruct (Req_EM_T (s k u) 1); [discriminate | contradiction].
Qed.

Variables (E : average rs) (share : nat -> R).
Hypothesis Shares : forall k, (k < m)%nat -> has rs E (s k) (share k).
Lemma mean_cells c : has rs E (fun u => sum (map (fun j => c j * s j u) (seq 0 m))) (sum (map (fun j => c j * share j) (seq 0 m))).
Proof. apply (has_sum rs E (fun j u => c j * s j u) (fun j => c j * share j)). intros k K. apply in_seq in K. apply has_times, Shares. lia. Qed.
Lemma chosen_mean w r : In r rs -> has rs E (feature (chosen w) r) (sum (map (fun j => (if opens r j then dot (point r) (nth j w []) else 0) * share j) (seq 0 m))).
Proof.
  intro R. apply (has_off rs E _ _ _ (mean_cells (fun j => if opens r j then dot (point r) (nth j w []) else 0))). intros u O. destruct (in_cell u O) as (k & K & S & Op).
  rewrite (sum_cell _ u k O K S). unfold feature. rewrite (chosen_spec w u k O K S). specialize (Op r R).
  destruct (Rlt_dec 0 (dot (point r) u)), (opens r k); auto; intuition discriminate.
Qed.
Lemma weighted_mean v q bound : (forall r, In r rs -> integrable _ E (feature v r)) ->
  (forall k u, (k < m)%nat -> sum (map (fun p : row * R => snd p * (if opens (fst p) k then entry (target (fst p)) * dot (point (fst p)) (v u) else 0)) (combine rs q)) <= bound k) ->
  sum (map (fun p : row * R => snd p * (entry (target (fst p)) * mean _ E (feature v (fst p)))) (combine rs q)) <= sum (map (fun j => bound j * share j) (seq 0 m)).
Proof.
  intros J H.
  assert (F : has rs E (fun u => sum (map (fun p : row * R => snd p * entry (target (fst p)) * feature v (fst p) u) (combine rs q)))
                       (sum (map (fun p : row * R => snd p * (entry (target (fst p)) * mean _ E (feature v (fst p)))) (combine rs q)))).
  { apply (has_sum rs E (fun p u => snd p * entry (target (fst p)) * feature v (fst p) u) (fun p => snd p * (entry (target (fst p)) * mean _ E (feature v (fst p))))).
    intros (r, t) K. cbn [fst snd]. rewrite <- Rmult_assoc. apply has_times. split; [|reflexivity]. apply J. now apply in_combine_l in K. }
  apply (has_le rs E _ _ _ _ F (mean_cells bound)). intros u O. destruct (in_cell u O) as (k & K & S & Op). rewrite (sum_cell _ u k O K S).
  eapply Rle_trans; [|apply (H k u K)]. right. apply sum_ext. intros (r, t) C. apply in_combine_l in C. simpl. specialize (Op r C). unfold feature.
  destruct (Rlt_dec 0 (dot (point r) u)), (opens r k); try ring; intuition discriminate.
Qed.
End Cells.

Theorem check_wide_sound d g rows w q claimed U L : check_wide d g rows w q claimed = Some (U, L) ->
  forall free columns plane, claim_holds free columns g (real_rows g 0 rows) (WideMargin plane U L).
Proof.
  unfold check_wide. destruct g as [l|]; [|discriminate]. set (g := Orientations l). set (xs := nonzero_points rows).
  destruct (cells_of xs l) as [found|] eqn:F; [|discriminate]. set (shares := map share_between found). set (all := opened g 0 rows).
  match goal with |- (if ?c then _ else _) = _ -> _ => destruct c eqn:C; [|discriminate] end. intros [= <- <-] free columns plane.
  rewrite !andb_true_iff, !forallb_forall, !Nat.eqb_eq, dlt_spec, val_zero in C.
  destruct C as ((((((((Co & Sg) & Three) & Lq) & Wn) & Qp) & Qs) & _) & _).
  set (rs := real_rows g 0 rows). assert (Lr : length rs = length rows). { unfold rs. clear. generalize 0%nat. induction rows as [|r rows IH]; intro i; simpl; auto. }
  destruct (cones_ok_spec d g rows Co) as (Pos & All). fold rs in All. cbn [gate_count g] in Pos, All.
  assert (Off : forall v x, In v l -> In x xs -> short x /\ dot (vals x) (vals v) <> 0).
  { intros v x V X. unfold cones_ok, g in Co. fold xs in Co. rewrite !andb_true_iff in Co. destruct Co as (((_ & O) & _) & _). rewrite forallb_forall in O.
    specialize (O _ (in_map (fun v => map (fun x => ddot x v) xs) l v V)). rewrite forallb_forall in O. specialize (O _ (in_map (fun x => ddot x v) xs x X)).
    split. { unfold xs, nonzero_points in X. apply filter_In in X as (X & _). specialize (Three x X). now apply Nat.leb_le. }
    intro Z. apply negb_true_iff in O. assert (deq (ddot x v) dzero = true); [|congruence]. apply deq_spec. now rewrite val_dot, val_zero. }
  destruct (cells_of_nth _ _ _ F) as (Lf & Nf). set (m := length l) in *.
  set (cell := fun k => nth k found []). set (s := fun k u => every _ (open_on u) (cell k)).
  assert (Values : forall k u, s k u = 0 \/ s k u = 1).
  { intros k u. unfold s. induction (cell k) as [|p h IH]; simpl; [now right|]. destruct (open_sign u p) as [->| ->], IH as [->| ->]; lra. }
  assert (Row : forall r, In r rs -> (exists x, In x xs /\ point r = vals x) \/ forall u, dot (point r) u = 0).
  { intros r R. apply row_real_in in R as (p & I & Pt & _). destruct (dnull (dpoint p)) eqn:N.
    - right. intro u. rewrite Pt. now apply dnull_spec.
    - left. exists (dpoint p). split; auto. unfold xs, nonzero_points. apply filter_In. split; [now apply in_map | now rewrite N]. }
  assert (Xs : forall x, In x xs -> exists r, In r rs /\ point r = vals x /\ 0 < dot (point r) (point r)).
  { intros x X. unfold xs in X. apply (in_nonzero g 0 rows x) in X as (r & R & Pt & N). exists r. split; [exact R|]. split; [exact Pt|]. pose proof (dot_self (point r)). lra. }
  assert (Rows_of : forall k, (k < m)%nat -> forall p, In p (cell k) -> short (fst p) /\ exists r, In r rs /\ point r = vals (fst p) /\ 0 < dot (point r) (point r)).
  { intros k K p P. destruct (cell_of_spec _ _ _ (Nf k K)) as (H & _). destruct (H p P) as (X & _). split; [|now apply Xs]. now apply (Off (nth k l [])); [apply nth_In|]. }
  assert (Opn : forall r k, In r rs -> opens r k = true <-> 0 < dot (point r) (vals (nth k l []))) by (intros; eapply opens_orientation; eauto).
  assert (Nz : forall u x, off rs u -> In x xs -> dot (vals x) u <> 0).
  { intros u x O X. destruct (Xs x X) as (r & R & <- & P). apply O; auto. lra. }
  assert (Holds : forall k u, (k < m)%nat -> off rs u -> opens_as rs k u -> s k u = 1).
  { intros k u K O Os. unfold s. apply every_one. intros p P. destruct (cell_of_spec _ _ _ (Nf k K)) as (H & _). destruct (H p P) as (X & Sp).
    apply open_one; [now apply Nz|]. rewrite turned_dot, Sp. destruct (Xs _ X) as (r & R & Pt & _). specialize (Os r R). rewrite (Opn r k R), Pt in Os.
    pose proof (Nz u _ O X). destruct (dlt dzero (ddot (fst p) (nth k l []))) eqn:Q.
    - rewrite dlt_spec, val_zero, val_dot in Q. tauto.
    - assert (~ 0 < dot (vals (fst p)) (vals (nth k l []))). { intro G. assert (dlt dzero (ddot (fst p) (nth k l [])) = true); [|congruence]. now rewrite dlt_spec, val_zero, val_dot. }
      destruct (Rlt_dec 0 (dot (vals (fst p)) u)); [tauto | lra]. }
  assert (Held : forall k u, (k < m)%nat -> off rs u -> s k u = 1 -> opens_as rs k u).
  { intros k u K O S r R. rewrite (Opn r k R). destruct (Row r R) as [(x & X & ->)|Z]; [|rewrite !Z; lra].
    destruct (cell_of_spec _ _ _ (Nf k K)) as (H & _ & [(_ & E)|Cov]); [rewrite E in X; destruct X|].
    destruct (Off (nth k l []) x (nth_In _ _ K) X) as (Sx & Nv). pose proof (Nz u x O X) as Nu.
    assert (All1 : forall p, In p (cell k) -> open_on u p = 1).
    { intros p P. destruct (open_sign u p) as [Z|]; [|assumption]. exfalso. unfold s in S. rewrite (every_zero _ (open_on u) p) in S; auto. lra. }
    assert (G : 0 <= dot (vals (turned (x, dlt dzero (ddot x (nth k l []))))) u).
    { apply (in_sides_spec (map turned (cell k))); [| | exact (Cov x X) |].
      - intros a A. apply in_map_iff in A as (p & <- & P). destruct (Rows_of k K p P) as (Sp & _). pose proof (turned_short p Sp) as T. now rewrite vals_length in T.
      - pose proof (turned_short (x, dlt dzero (ddot x (nth k l []))) Sx) as T. now rewrite vals_length in T.
      - intros a A. apply in_map_iff in A as (p & <- & P). destruct (H p P) as (Xp & _). apply Rlt_le, open_one; [now apply Nz | auto]. }
    rewrite turned_dot in G. cbn [fst snd] in G. destruct (dlt dzero (ddot x (nth k l []))) eqn:Q.
    - rewrite dlt_spec, val_zero, val_dot in Q. split; intro; lra.
    - assert (~ 0 < dot (vals x) (vals (nth k l []))). { intro Y. assert (dlt dzero (ddot x (nth k l [])) = true); [|congruence]. now rewrite dlt_spec, val_zero, val_dot. }
      split; intro; lra. }
  assert (Lt : length shares = m) by (unfold shares; now rewrite map_length).
  pose proof (opened_spec g 0 rows) as Fo. fold all rs in Fo.
  split; [exact All|]. intro E.
  assert (Share : forall k, (k < m)%nat -> exists t, has rs E (s k) t /\ val (fst (nth k shares (dzero, dzero))) <= t <= val (snd (nth k shares (dzero, dzero)))).
  { intros k K. unfold shares. rewrite (nth_indep _ (dzero, dzero) (share_between [])) by (rewrite map_length; lia). rewrite map_nth. fold (cell k).
    destruct (cell_of_spec _ _ _ (Nf k K)) as (_ & Left & _). fold (cell k) in Left. destruct (cell k) as [|p h] eqn:Ec.
    - exists 1. split; [apply (has_ext rs E (fun _ => 1)); [apply has_constant | intro; unfold s; now rewrite Ec] | cbn [share_between fst snd]; rewrite val_one; lra].
    - assert (Ro : forall p0, In p0 (p :: h) -> short (fst p0) /\ exists r, In r rs /\ point r = vals (fst p0) /\ 0 < dot (point r) (point r)) by (rewrite <- Ec; now apply Rows_of).
      exists (1 / 2 - sum (map part (chain p p h)) / 4). split.
      { apply (has_ext rs E (fun u => every _ (open_on u) (p :: h))); [now apply share_of_cell | intro; unfold s; now rewrite Ec]. }
      assert (In_chain : forall l a q, (forall b, In b (a :: l) -> In b (p :: h)) -> In q (chain p a l) -> In (fst q) (p :: h) /\ In (snd q) (p :: h)).
      { clear. induction l as [|b l IH]; intros a q H Q; simpl in Q.
        - destruct Q as [<-|[]]. split; [apply H; now left | now left].
        - destruct Q as [<-|Q]; [split; apply H; simpl; auto|]. apply (IH b); auto. intros c C. apply H. now right. }
      assert (B : forall l, (forall q, In q l -> In (fst q) (p :: h) /\ In (snd q) (p :: h)) ->
                  sum (vals (map fst (map change_between l))) <= sum (map part l) <= sum (vals (map snd (map change_between l)))).
      { clear -Ro. intros c0 H. unfold vals. rewrite !map_map. split; apply sum_le; intros (a, b) I; destruct (H _ I) as (Ia & Ib); now apply (change_between_spec rs (p :: h) Ro a b). }
      specialize (B (chain p p h) (fun q Q => In_chain h p q (fun b B => B) Q)).
      cbn [share_between fst snd]. rewrite !val_half, !val_sub, !val_half, val_one, !val_sum. lra. }
  assert (Pick : exists share : nat -> R, forall k, (k < m)%nat -> has rs E (s k) (share k) /\ val (fst (nth k shares (dzero, dzero))) <= share k <= val (snd (nth k shares (dzero, dzero)))).
  { exists (fun k => mean _ E (s k)). intros k K. destruct (Share k K) as (t & (I & <-) & B). split; [now split | exact B]. }
  destruct Pick as (share & Sh).
  assert (Shares : forall k, (k < m)%nat -> has rs E (s k) (share k)) by (intros; now apply Sh).
  split.
  - exists (fun r => entry (target r) * mean _ E (feature (chosen m s (map vals w)) r)). split.
    + exists (chosen m s (map vals w)). split.
      * intro u. apply norm_one. unfold chosen. destruct (find _ _) as [j|]; [|simpl; lra]. rewrite nth_vals_list. destruct (Nat.lt_ge_cases j (length w)) as [J|J].
        -- specialize (Wn _ (nth_In w [] J)). now rewrite dle_spec, val_dot, val_one in Wn.
        -- rewrite nth_overflow by assumption. simpl. lra.
      * intros r R. split; [|reflexivity]. now apply (chosen_mean rs m s All Values Holds Held E share Shares).
    + intros r R. destruct (chosen_mean rs m s All Values Holds Held E share Shares (map vals w) r R) as (_ & M). rewrite M.
      destruct (forall2_in_r _ _ _ _ Fo R) as (p & P & (Ir & O)). eapply Rle_trans; [apply double_down_spec|].
      eapply Rle_trans; [apply least_spec; apply in_map; exact P|]. unfold low_score. rewrite val_sum, Lt, <- sum_times. unfold vals at 1. rewrite map_map. apply sum_le.
      intros j J. apply in_seq in J. rewrite (O j), nth_vals_list. destruct (opens r j); [|rewrite val_zero; lra].
      rewrite val_min, !val_mul, val_dot, dentry_spec. destruct Ir as (Pt & Tg & _). rewrite Tg, Pt. destruct (Sh j ltac:(lia)) as (_ & B).
      set (t := entry (vals (dtarget (fst p))) * dot (vals (dpoint (fst p))) (vals (nth j w []))).
      replace (entry (vals (dtarget (fst p))) * (dot (vals (dpoint (fst p))) (vals (nth j w [])) * share j)) with (t * share j) by (unfold t; ring).
      clearbody t. destruct (Rle_dec 0 t); [eapply Rle_trans; [apply Rmin_l|]; nra | eapply Rle_trans; [apply Rmin_r|]; nra].
  - intros s0 (v & V & J). apply (average_bound s0) with (q := vals q).
    + rewrite vals_length, Lq. auto.
    + intros t T. apply in_map_iff in T as (a & <- & I). specialize (Qp a I). now rewrite dle_spec, val_zero in Qp.
    + now rewrite <- val_sum.
    + rewrite (sum_ext _ (fun p : row * R => snd p * (entry (target (fst p)) * mean _ E (feature v (fst p))))).
      2: { intros (r, t) I. apply in_combine_l in I. cbn [fst snd]. now rewrite (proj2 (J r I)). }
      set (bound := fun j => val (let s := weighted g FirstLayer j (combine all q) in dsqrt_up (ddot s s))).
      apply Rle_trans with (sum (map (fun j => bound j * share j) (seq 0 m))).
      * apply (weighted_mean rs m s All Values Holds Held E share Shares v (vals q) bound); [intros r R; now apply J|].
        intros k u K. pose proof (weighted_spec g FirstLayer k (v u) all rs Fo q ltac:(lia)) as We. cbn [real_feature] in We. rewrite <- We.
        unfold bound. set (s1 := weighted g FirstLayer k (combine all q)). eapply Rle_trans; [apply dot_norm|]. pose proof (dnorm_spec s1) as N. fold (norm (vals s1)) in N.
        pose proof (V u). pose proof (norm_nonneg (vals s1)). pose proof (norm_nonneg (v u)). nra.
      * apply Rle_trans with (val (high_lengths g shares (combine all q))).
        -- unfold high_lengths. rewrite val_sum, Lt. unfold vals at 1. rewrite map_map. apply sum_le. intros j I. apply in_seq in I. rewrite val_mul.
           fold (bound j). destruct (Sh j ltac:(lia)) as (_ & B). assert (0 <= bound j). { unfold bound. eapply Rle_trans; [|apply dnorm_spec]. apply sqrt_pos. }
           rewrite (Rmult_comm (val _)). apply Rmult_le_compat_l; lra.
        -- pose proof (ddiv_up_spec (high_lengths g shares (combine all q)) _ Qs) as D. pose proof (double_up_spec (ddiv_up (high_lengths g shares (combine all q)) (dsum q))) as D2.
           rewrite <- val_sum. apply Rle_trans with (val (high_lengths g shares (combine all q)) / val (dsum q) * val (dsum q)); [right; field; lra|].
           apply Rmult_le_compat_r; lra.
Qed.
