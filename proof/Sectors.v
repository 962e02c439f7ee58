(* SPDX-License-Identifier: Apache-2.0 *)
(* The margin of infinite width in the plane (docs/reference/certificate.md, Section 6): every cone is a sector, whose share is its angle over 2 pi. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Angles Cones Train Margins.
Import ListNotations.

Definition dcross (a b : list dyadic) : dyadic := dsub (dmul (nth 0 a dzero) (nth 1 b dzero)) (dmul (nth 1 a dzero) (nth 0 b dzero)).
(* The ray along the line of x on whose left are the u with <x, u> > 0, or < 0. *)
Definition ray_of (s : bool) (x : list dyadic) : list dyadic :=
  if s then [nth 1 x dzero; dneg (nth 0 x dzero)] else [dneg (nth 1 x dzero); nth 0 x dzero].
Definition opposite (a : list dyadic) : list dyadic := map dneg a.
(* The last of these rays before v, and the first of their opposites after it. *)
Definition last_ray (rays : list (list dyadic)) (a : list dyadic) : list dyadic := fold_left (fun a c => if dlt dzero (dcross a c) then c else a) rays a.
Definition first_ray (rays : list (list dyadic)) (b : list dyadic) : list dyadic := fold_left (fun b c => if dlt dzero (dcross c b) then c else b) rays b.
Definition sector_of (xs : list (list dyadic)) (v : list dyadic) : option (list dyadic * list dyadic) :=
  let rays := map (fun x => ray_of (dlt dzero (ddot x v)) x) xs in
  match rays with
  | [] => None
  | c :: rest =>
      let a := last_ray rest c in
      let b := first_ray (map opposite rest) (opposite c) in
      if forallb (fun c => dle dzero (dcross c a) && dle dzero (dcross c b)) rays &&
         (dlt dzero (dcross a b) || (deq (dcross a b) dzero && dlt (ddot a b) dzero))
      then Some (a, b) else None
  end.
Fixpoint sectors_of (xs : list (list dyadic)) (l : list (list dyadic)) : option (list (list dyadic * list dyadic)) :=
  match l with
  | [] => Some []
  | v :: l => match sector_of xs v, sectors_of xs l with Some s, Some rest => Some (s :: rest) | _, _ => None end
  end.
Definition turns_of (s : list dyadic * list dyadic) : dyadic * dyadic :=
  turn_between (ddot (fst s) (snd s)) (ddot (fst s) (fst s)) (ddot (snd s) (snd s)).

Definition low_score (turns : list (dyadic * dyadic)) (w : list (list dyadic)) (p : orow) : dyadic :=
  dsum (map (fun j => if snd p j then let t := dmul (dentry (dtarget (fst p))) (ddot (dpoint (fst p)) (nth j w [])) in
                        let turn := nth j turns (dzero, dzero) in dmin (dmul t (fst turn)) (dmul t (snd turn)) else dzero) (seq 0 (length turns))).
Definition high_lengths (g : gates) (turns : list (dyadic * dyadic)) (l : list (orow * dyadic)) : dyadic :=
  dsum (map (fun j => dmul (snd (nth j turns (dzero, dzero))) (let s := weighted g FirstLayer j l in dsqrt_up (ddot s s))) (seq 0 (length turns))).
Definition check_plane_margin (d : nat) (g : gates) (rows : list drow) (w : list (list dyadic)) (q : list dyadic) (claimed : dyadic * dyadic) :
  option (dyadic * dyadic) :=
  match g with
  | Patterns _ => None
  | Orientations l =>
      let xs := nonzero_points rows in
      match sectors_of xs l with
      | None => None
      | Some sectors =>
          let turns := map turns_of sectors in
          let all := opened g 0 rows in
          let low := least (map (low_score turns w) all) in
          let high := ddiv_up (high_lengths g turns (combine all q)) (dsum q) in
          if cones_ok d g rows && signs rows && forallb (fun x => Nat.eqb (length x) 2) (map dpoint rows) && Nat.eqb (length q) (length rows) &&
             forallb (fun v => dle (ddot v v) done) w && forallb (fun t => dle dzero t) q && dlt dzero (dsum q) &&
             dle (snd claimed) low && dle high (fst claimed)
          then Some (double_up high, double_down low) else None
      end
  end.

Open Scope R_scope.
Lemma val_cross a b : val (dcross a b) = cross (vals a) (vals b).
Proof. unfold dcross, cross. now rewrite val_sub, !val_mul, !vals_nth. Qed.
Lemma dot_two p q u : dot [p; q] u = p * nth 0 u 0 + q * nth 1 u 0.
Proof. destruct u as [|a [|b u]]; simpl; ring. Qed.
Lemma two (x : list dyadic) : length x = 2%nat -> x = [nth 0 x dzero; nth 1 x dzero].
Proof. destruct x as [|a [|b [|]]]; simpl; intro; try discriminate; reflexivity. Qed.
Lemma two_real (x : vec) : length x = 2%nat -> x = [nth 0 x 0; nth 1 x 0].
Proof. destruct x as [|a [|b [|]]]; simpl; intro; try discriminate; reflexivity. Qed.
Lemma ray_length s x : length (ray_of s x) = 2%nat.
Proof. now destruct s. Qed.
Definition sgn_of (s : bool) : R := if s then 1 else -1.
Lemma ray_cross s x u : length x = 2%nat -> cross (vals (ray_of s x)) u = sgn_of s * dot (vals x) u.
Proof.
  intro L. rewrite (two x L) at 2. unfold vals at 2. cbn [map]. rewrite dot_two. unfold cross, ray_of.
  destruct s; simpl; rewrite ?val_neg; unfold sgn_of; ring.
Qed.
Lemma opposite_cross a u : cross u (vals (opposite a)) = cross (vals a) u.
Proof.
  assert (H : forall k, nth k (vals (opposite a)) 0 = - nth k (vals a) 0).
  { clear u. induction a as [|t a IH]; intros [|k]; simpl; rewrite ?val_neg; try ring. apply IH. }
  unfold cross. rewrite !H. ring.
Qed.

Lemma fold_choice {A} (f : A -> A -> bool) l a : In (fold_left (fun a c => if f a c then c else a) l a) (a :: l).
Proof.
  revert a. induction l as [|c l IH]; intro a; simpl; [now left|].
  destruct (IH (if f a c then c else a)) as [E|E]; [|right; right; exact E]. rewrite <- E. destruct (f a c); simpl; auto.
Qed.

(* The identity of the plane. *)
Lemma plane_identity (a b x u : vec) : length x = 2%nat -> cross a b * dot x u = cross u b * dot x a + cross a u * dot x b.
Proof. intro L. rewrite (two_real x L), !dot_two. unfold cross. ring. Qed.

Lemma vanish p q a b : 0 < p -> 0 < q -> 0 <= a -> 0 <= b -> p * a + q * b = 0 -> a = 0 /\ b = 0.
Proof.
  intros P Q A B E. assert (0 <= p * a) by (apply Rmult_le_pos; lra). assert (0 <= q * b) by (apply Rmult_le_pos; lra).
  split; [apply Rmult_eq_reg_l with p | apply Rmult_eq_reg_l with q]; lra.
Qed.

Lemma along N k e s hu hv tu tv : e = 1 \/ e = -1 -> 0 < N -> N * tu = k * hu -> N * tv = k * hv -> 0 < e * hu -> 0 < e * hv -> 0 < s * tv -> 0 < s * tu.
Proof.
  intros E P U V Hu Hv T. assert (EE : e * e = 1) by (destruct E as [->| ->]; ring).
  assert (B : 0 < s * k * e * (e * hv)).
  { replace (s * k * e * (e * hv)) with (N * (s * tv)); [apply Rmult_lt_0_compat; lra|].
    replace (s * k * e * (e * hv)) with (s * (k * hv) * (e * e)) by ring. rewrite EE, <- V. ring. }
  assert (K : 0 < s * k * e).
  { apply Rmult_lt_reg_r with (e * hv); [assumption|]. rewrite Rmult_0_l. exact B. }
  apply Rmult_lt_reg_l with N; [assumption|]. rewrite Rmult_0_r. replace (N * (s * tu)) with (s * k * e * (e * hu)); [apply Rmult_lt_0_compat; lra|].
  replace (s * k * e * (e * hu)) with (s * (k * hu) * (e * e)) by ring. rewrite EE, <- U. ring.
Qed.

(* A sector of the rays of xs around v, and what it holds: the u that see every x of xs as v does. *)
Record sector_ok (xs : list (list dyadic)) (v a b : vec) : Prop := {
  a_length : length a = 2%nat; b_length : length b = 2%nat;
  turning : 0 < cross a b \/ (cross a b = 0 /\ dot a b < 0);
  from_rays : forall u, (forall x, In x xs -> 0 < dot (vals x) u * dot (vals x) v) -> 0 < cross a u /\ 0 < cross u b;
  to_rays : forall u, 0 < cross a u -> 0 < cross u b -> forall x, In x xs -> 0 < dot (vals x) u * dot (vals x) v }.

Lemma sector_of_spec xs v a b : (forall x, In x xs -> length x = 2%nat /\ dot (vals x) (vals v) <> 0) -> sector_of xs v = Some (a, b) ->
  sector_ok xs (vals v) (vals a) (vals b).
Proof.
  intros X H. unfold sector_of in H. set (rays := map _ xs) in H.
  assert (R : forall c, In c rays -> exists x s, In x xs /\ c = ray_of s x /\ 0 < sgn_of s * dot (vals x) (vals v)).
  { intros c I. apply in_map_iff in I as (x & <- & I). exists x, (dlt dzero (ddot x v)). repeat split; auto.
    destruct (X x I) as (_ & N). destruct (dlt dzero (ddot x v)) eqn:E; unfold sgn_of.
    - rewrite dlt_spec, val_zero, val_dot in E. lra.
    - assert (~ 0 < dot (vals x) (vals v)). { intro K. assert (dlt dzero (ddot x v) = true); [|congruence]. apply dlt_spec. now rewrite val_zero, val_dot. } lra. }
  assert (Q : forall x, In x xs -> exists s, In (ray_of s x) rays /\ 0 < sgn_of s * dot (vals x) (vals v)).
  { intros x I. exists (dlt dzero (ddot x v)). split; [apply in_map_iff; eauto|].
    destruct (X x I) as (_ & N). destruct (dlt dzero (ddot x v)) eqn:E; unfold sgn_of.
    - rewrite dlt_spec, val_zero, val_dot in E. lra.
    - assert (~ 0 < dot (vals x) (vals v)). { intro K. assert (dlt dzero (ddot x v) = true); [|congruence]. apply dlt_spec. now rewrite val_zero, val_dot. } lra. }
  clearbody rays. destruct rays as [|c rest]; [discriminate|].
  set (a' := last_ray rest c) in H. set (b' := first_ray _ _) in H.
  destruct (forallb _ _ && _) eqn:E; [|discriminate]. injection H as <- <-.
  apply andb_true_iff in E as (E & T). rewrite forallb_forall in E.
  assert (Ia : In a' (c :: rest)) by (apply (fold_choice (fun a c => dlt dzero (dcross a c)))).
  assert (Ib : exists b0, In b0 (c :: rest) /\ b' = opposite b0).
  { assert (I : In b' (opposite c :: map opposite rest)) by (apply (fold_choice (fun b c => dlt dzero (dcross c b)))).
    change (In b' (map opposite (c :: rest))) in I. apply in_map_iff in I as (b0 & <- & I). eauto. }
  destruct Ib as (b0 & Ib & Eb).
  destruct (R a' Ia) as (xa & sa & Xa & Ea & Pa). destruct (R b0 Ib) as (xb & sb & Xb & Eb0 & Pb).
  destruct (X xa Xa) as (La & _). destruct (X xb Xb) as (Lb & _).
  assert (Ca : forall u, cross (vals a') u = sgn_of sa * dot (vals xa) u) by (intro u; rewrite Ea; now apply ray_cross).
  assert (Cb : forall u, cross u (vals b') = sgn_of sb * dot (vals xb) u) by (intro u; rewrite Eb, opposite_cross, Eb0; now apply ray_cross).
  assert (T' : 0 < cross (vals a') (vals b') \/ (cross (vals a') (vals b') = 0 /\ dot (vals a') (vals b') < 0)).
  { apply orb_true_iff in T as [T|T]; [left; now rewrite dlt_spec, val_zero, val_cross in T|right].
    apply andb_true_iff in T as (T & S). rewrite deq_spec, val_zero, val_cross in T. rewrite dlt_spec, val_zero, val_dot in S. auto. }
  assert (W : forall x, In x xs -> exists s, 0 < s * dot (vals x) (vals v) /\ 0 <= s * dot (vals x) (vals a') /\ 0 <= s * dot (vals x) (vals b')).
  { intros x I. destruct (Q x I) as (s & J & K). exists (sgn_of s). split; auto. specialize (E _ J). apply andb_true_iff in E as (E1 & E2).
    rewrite dle_spec, val_zero, val_cross, ray_cross in E1, E2 by (apply X; auto). auto. }
  constructor.
  - rewrite vals_length, Ea. apply ray_length.
  - rewrite vals_length, Eb. unfold opposite. rewrite map_length, Eb0. apply ray_length.
  - exact T'.
  - intros u U. rewrite Ca, Cb. pose proof (U xa Xa). pose proof (U xb Xb).
    split; [destruct sa | destruct sb]; unfold sgn_of in *; nra.
  - intros u U1 U2 x I. destruct (W x I) as (s & S & A & B). destruct (X x I) as (Lx & Nx).
    assert (Lx' : length (vals x) = 2%nat) by (now rewrite vals_length).
    pose proof (plane_identity (vals a') (vals b') (vals x) u Lx') as Id.
    assert (M : cross (vals a') (vals b') * (s * dot (vals x) u) = cross u (vals b') * (s * dot (vals x) (vals a')) + cross (vals a') u * (s * dot (vals x) (vals b'))).
    { replace (cross (vals a') (vals b') * (s * dot (vals x) u)) with (s * (cross (vals a') (vals b') * dot (vals x) u)) by ring. rewrite Id. ring. }
    assert (M0 : 0 <= cross u (vals b') * (s * dot (vals x) (vals a')) + cross (vals a') u * (s * dot (vals x) (vals b'))) by nra.
    assert (G : 0 < s * dot (vals x) u).
    { destruct T' as [T'|(T0 & T1)].
      - assert (K0 : 0 <= s * dot (vals x) u) by (destruct (Rle_dec 0 (s * dot (vals x) u)); auto; exfalso; nra).
        destruct (Req_dec (s * dot (vals x) u) 0) as [K|K]; [|lra]. exfalso. rewrite K, Rmult_0_r in M. symmetry in M.
        destruct (vanish _ _ _ _ U2 U1 A B M) as (A0 & B0).
        pose proof (plane_identity (vals a') (vals b') (vals x) (vals v) Lx') as Iv.
        assert (Sv : cross (vals a') (vals b') * (s * dot (vals x) (vals v)) = 0).
        { replace (cross (vals a') (vals b') * (s * dot (vals x) (vals v))) with (s * (cross (vals a') (vals b') * dot (vals x) (vals v))) by ring. rewrite Iv.
          replace (s * (cross (vals v) (vals b') * dot (vals x) (vals a') + cross (vals a') (vals v) * dot (vals x) (vals b')))
            with (cross (vals v) (vals b') * (s * dot (vals x) (vals a')) + cross (vals a') (vals v) * (s * dot (vals x) (vals b'))) by ring. rewrite A0, B0. ring. }
        nra.
      - (* all rows along one line *)
        rewrite T0, Rmult_0_l in M. symmetry in M. destruct (vanish _ _ _ _ U2 U1 A B M) as (A0 & _).
        assert (Ax : dot (vals x) (vals a') = 0) by (assert (s <> 0) by (intros ->; lra); nra).
        (* x = t xa, as both are orthogonal to the ray a' *)
        rewrite Ea in Ax. pose proof (Ca u) as Cu. pose proof (Ca (vals v)) as Cv. clear Ca.
        rewrite Ea in Cu, Cv. rewrite (two_real _ Lx') in Ax, S, Nx |- *. rewrite !dot_two in *.
        set (x0 := nth 0 (vals x) 0) in *. set (x1 := nth 1 (vals x) 0) in *.
        assert (Na : 0 < (val (nth 0 xa dzero)) * (val (nth 0 xa dzero)) + (val (nth 1 xa dzero)) * (val (nth 1 xa dzero))).
        { rewrite (two xa La) in Pa. unfold vals in Pa at 1. cbn [map] in Pa. rewrite dot_two in Pa.
          destruct (Req_dec (val (nth 0 xa dzero)) 0) as [Z0|]; [|nra]. destruct (Req_dec (val (nth 1 xa dzero)) 0) as [Z1|]; [|nra]. rewrite Z0, Z1 in Pa. lra. }
        set (p := val (nth 0 xa dzero)) in *. set (q := val (nth 1 xa dzero)) in *.
        assert (Par : x0 * q = x1 * p).
        { unfold ray_of in Ax. destruct sa; simpl in Ax; rewrite val_neg in Ax; fold p q in Ax; lra. }
        assert (Du : forall z, (p * p + q * q) * (x0 * nth 0 z 0 + x1 * nth 1 z 0) = (x0 * p + x1 * q) * dot (vals xa) z).
        { intro z. rewrite (two xa La). unfold vals. cbn [map]. rewrite dot_two. fold p q. apply Rminus_diag_uniq.
          match goal with |- ?e = 0 => replace e with ((nth 0 z 0 * q - nth 1 z 0 * p) * (x0 * q - x1 * p)) by ring end. rewrite Par. ring. }
        pose proof (Du u) as Du'. pose proof (Du (vals v)) as Dv'. clear Du.
        assert (Ku : 0 < sgn_of sa * dot (vals xa) u) by (rewrite <- Cu, <- Ea; exact U1).
        clearbody x0 x1 p q. set (k := x0 * p + x1 * q) in *. set (N := p * p + q * q) in *. clearbody k N.
        set (hu := dot (vals xa) u) in *. set (hv := dot (vals xa) (vals v)) in *.
        set (tu := x0 * nth 0 u 0 + x1 * nth 1 u 0) in *. set (tv := x0 * nth 0 (vals v) 0 + x1 * nth 1 (vals v) 0) in *.
        clearbody hu hv tu tv. apply (along N k (sgn_of sa) s hu hv tu tv); auto. destruct sa; unfold sgn_of; lra. }
    clear -S G. nra.
Qed.

(* --- means over sectors --- *)
Lemma sector_cases a b u : (sector a b u = 1 /\ 0 < cross a u /\ 0 < cross u b) \/ sector a b u = 0.
Proof. unfold sector. destruct (Rlt_dec 0 (cross a u)), (Rlt_dec 0 (cross u b)); auto. Qed.
Lemma mean_sum {T} rows (E : average rows) (c : T -> R) (h : T -> vec -> R) l : integrable _ E (fun _ => 0) -> mean _ E (fun _ => 0) = 0 ->
  (forall t, In t l -> integrable _ E (h t)) ->
  integrable _ E (fun u => sum (map (fun t => c t * h t u) l)) /\ mean _ E (fun u => sum (map (fun t => c t * h t u) l)) = sum (map (fun t => c t * mean _ E (h t)) l).
Proof.
  intros Z M. induction l as [|t l IH]; intro H; simpl; [auto|]. destruct IH as (A & B); [intros; apply H; now right|].
  destruct (of_multiple _ E (c t) (h t) (H t (or_introl eq_refl))) as (C & D). destruct (of_sum _ E _ _ C A) as (F & G). split; [exact F|]. now rewrite G, D, B.
Qed.
Lemma sum_single (f : nat -> R) k l : NoDup l -> In k l -> (forall j, In j l -> j <> k -> f j = 0) -> sum (map f l) = f k.
Proof.
  induction l as [|j l IH]; intros N I H; simpl; [destruct I|]. inversion N as [|? ? N0 N1]; subst. destruct I as [->|I].
  - rewrite (sum_ext f (fun _ => 0)), sum_zero; [ring|]. intros i J. apply H; [now right|]. intros ->. contradiction.
  - rewrite (H j), IH; auto; [ring | now intros; apply H; [right|] | now left | intros ->; contradiction].
Qed.

Section Sectors.
Variables (rs : list row) (m : nat) (A B : nat -> vec).
Hypothesis Some_gate : (0 < m)%nat.
Hypothesis All : all_cones rs m.
Hypothesis Shape : forall k, (k < m)%nat -> length (A k) = 2%nat /\ length (B k) = 2%nat /\ (0 < cross (A k) (B k) \/ (cross (A k) (B k) = 0 /\ dot (A k) (B k) < 0)).
Let s (k : nat) (u : vec) : R := sector (A k) (B k) u.
Hypothesis Holds : forall k u, (k < m)%nat -> off rs u -> opens_as rs k u -> s k u = 1.
Hypothesis Held : forall k u, (k < m)%nat -> s k u = 1 -> opens_as rs k u.
Let share (k : nat) : R := angle (A k) (B k) / (2 * PI).

Lemma one_sector u j k : (j < m)%nat -> (k < m)%nat -> s j u = 1 -> s k u = 1 -> j = k.
Proof.
  intros J K Sj Sk. destruct (Nat.eq_dec j k) as [|N]; auto. exfalso.
  pose proof (Held j u J Sj) as Oj. pose proof (Held k u K Sk) as Ok. destruct All as (_ & D & _).
  assert (X : forall i l, (i < l < m)%nat -> opens_as rs i u -> opens_as rs l u -> False).
  { intros i l I Oi Ol. destruct (D i l I) as (r & R & Ne). apply Ne. specialize (Oi r R). specialize (Ol r R). destruct (opens r i), (opens r l); auto; intuition discriminate. }
  destruct (Nat.lt_ge_cases j k); [eapply X with (i := j) (l := k) | eapply X with (i := k) (l := j)]; eauto; lia.
Qed.
Lemma in_sector u : off rs u -> exists k, (k < m)%nat /\ s k u = 1 /\ opens_as rs k u.
Proof. intro O. destruct All as (_ & _ & C). destruct (C u O) as (k & K & P). exists k. auto. Qed.
Lemma sum_sector c u k : (k < m)%nat -> s k u = 1 -> sum (map (fun j => c j * s j u) (seq 0 m)) = c k.
Proof.
  intros K S. rewrite (sum_single _ k); [rewrite S; ring | apply seq_NoDup | apply in_seq; lia|].
  intros j J N. apply in_seq in J. destruct (sector_cases (A j) (B j) u) as [(Y & _)|Y]; fold (s j u) in Y; [|rewrite Y; ring].
  exfalso. apply N. apply (one_sector u); auto; lia.
Qed.

Section Mean.
Variable E : round_average rs.
Notation P := (plain _ E).
Lemma of_zero : integrable _ P (fun _ => 0) /\ mean _ P (fun _ => 0) = 0.
Proof.
  destruct (Shape 0%nat Some_gate) as (La & Lb & T). destruct (of_sector _ E _ _ La Lb T) as (I & _).
  destruct (of_multiple _ P 0 _ I) as (J & M). destruct (of_null _ P (fun u => 0 * sector (A 0%nat) (B 0%nat) u) (fun _ => 0) (fun u _ => Rmult_0_l _) J) as (K & N).
  split; [exact K|]. rewrite N, M. ring.
Qed.
Lemma mean_sectors c : integrable _ P (fun u => sum (map (fun j => c j * s j u) (seq 0 m))) /\
  mean _ P (fun u => sum (map (fun j => c j * s j u) (seq 0 m))) = sum (map (fun j => c j * share j) (seq 0 m)).
Proof.
  destruct of_zero as (Z & M). destruct (mean_sum rs P c s (seq 0 m) Z M) as (I & F).
  { intros k K. apply in_seq in K. destruct (Shape k ltac:(lia)) as (La & Lb & T). exact (proj1 (of_sector _ E _ _ La Lb T)). }
  split; [exact I|]. rewrite F. apply sum_ext. intros k K. apply in_seq in K. destruct (Shape k ltac:(lia)) as (La & Lb & T).
  f_equal. exact (proj2 (of_sector _ E _ _ La Lb T)).
Qed.
End Mean.

Definition chosen (w : list vec) (u : vec) : vec :=
  match find (fun j => if Req_EM_T (s j u) 1 then true else false) (seq 0 m) with Some j => nth j w [] | None => [] end.
Lemma chosen_spec w u k : (k < m)%nat -> s k u = 1 -> chosen w u = nth k w [].
Proof.
  intros K S. unfold chosen. destruct (find _ _) as [j|] eqn:F.
  - apply find_some in F as (J & T). apply in_seq in J. destruct (Req_EM_T (s j u) 1) as [Y|]; [|discriminate]. rewrite (one_sector u j k); auto; lia.
  - exfalso. pose proof (find_none _ _ F k ltac:(apply in_seq; lia)) as N. simpl in N. destruct (Req_EM_T (s k u) 1); [discriminate | contradiction].
Qed.
Lemma chosen_mean w (E : round_average rs) r : In r rs ->
  integrable _ (plain _ E) (feature (chosen w) r) /\
  mean _ (plain _ E) (feature (chosen w) r) = sum (map (fun j => (if opens r j then dot (point r) (nth j w []) else 0) * share j) (seq 0 m)).
Proof.
  intro R. destruct (mean_sectors E (fun j => if opens r j then dot (point r) (nth j w []) else 0)) as (I & M). rewrite <- M.
  apply (of_null _ (plain _ E)); [|exact I]. intros u O. destruct (in_sector u O) as (k & K & S & Op).
  rewrite (sum_sector _ u k K S). unfold feature. rewrite (chosen_spec w u k K S). specialize (Op r R).
  destruct (Rlt_dec 0 (dot (point r) u)), (opens r k); auto; intuition discriminate.
Qed.
Lemma weighted_mean (E : round_average rs) v q bound : length q = length rs -> (forall r, In r rs -> integrable _ (plain _ E) (feature v r)) ->
  (forall k u, (k < m)%nat -> sum (map (fun p : row * R => snd p * (if opens (fst p) k then entry (target (fst p)) * dot (point (fst p)) (v u) else 0)) (combine rs q)) <= bound k) ->
  sum (map (fun p : row * R => snd p * (entry (target (fst p)) * mean _ (plain _ E) (feature v (fst p)))) (combine rs q)) <= sum (map (fun j => bound j * share j) (seq 0 m)).
Proof.
  intros L J H. destruct (of_zero E) as (Z & M).
  destruct (mean_sum rs (plain _ E) (fun p : row * R => snd p * entry (target (fst p))) (fun p => feature v (fst p)) (combine rs q) Z M) as (I & F).
  { intros (r, t) K. apply J. now apply in_combine_l in K. }
  destruct (mean_sectors E bound) as (I2 & M2). rewrite <- M2.
  rewrite (sum_ext _ (fun p : row * R => snd p * entry (target (fst p)) * mean _ (plain _ E) (feature v (fst p)))) by (intros; ring).
  rewrite <- F. apply (of_order _ E); auto. intros u O. destruct (in_sector u O) as (k & K & S & Op). rewrite (sum_sector _ u k K S).
  eapply Rle_trans; [|apply (H k u K)]. right. apply sum_ext. intros (r, t) C. apply in_combine_l in C. simpl. specialize (Op r C). unfold feature.
  destruct (Rlt_dec 0 (dot (point r) u)), (opens r k); try ring; intuition discriminate.
Qed.
End Sectors.

Lemma opens_orientation l i rows r : In r (real_rows (Orientations l) i rows) ->
  exists p, In p rows /\ is_row p r /\ forall k, opens r k = true <-> 0 < dot (point r) (vals (nth k l [])).
Proof.
  revert i. induction rows as [|p rows IH]; intros i I; simpl in I; [destruct I|]. destruct I as [<-|I].
  - exists p. split; [now left|]. split; [now repeat split|]. intro k. simpl. fold (vals (nth k l [])). fold (vals (dpoint p)). destruct (Rlt_dec _ _); intuition discriminate.
  - destruct (IH _ I) as (p' & J & H). exists p'. split; [now right | exact H].
Qed.
Lemma sectors_of_nth xs l found : sectors_of xs l = Some found -> length found = length l /\
  forall k, (k < length l)%nat -> sector_of xs (nth k l []) = Some (nth k found ([], [])).
Proof.
  revert found. induction l as [|v l IH]; intros found H; simpl in H; [injection H as <-; split; [reflexivity | simpl; lia]|].
  destruct (sector_of xs v) as [sv|] eqn:Sv; [|discriminate]. destruct (sectors_of xs l) as [rest|]; [|discriminate]. injection H as <-.
  destruct (IH rest eq_refl) as (L & N). split; [simpl; lia|]. intros [|k] K; simpl in *; [exact Sv | apply N; lia].
Qed.

Theorem check_plane_margin_sound d g rows w q claimed U L : check_plane_margin d g rows w q claimed = Some (U, L) ->
  forall free columns, claim_holds free columns g (real_rows g 0 rows) (PlaneMargin U L).
Proof.
  unfold check_plane_margin. destruct g as [l|]; [|discriminate]. set (g := Orientations l). set (xs := nonzero_points rows).
  destruct (sectors_of xs l) as [found|] eqn:F; [|discriminate]. set (turns := map turns_of found). set (all := opened g 0 rows).
  match goal with |- (if ?c then _ else _) = _ -> _ => destruct c eqn:C; [|discriminate] end. intros [= <- <-] free columns.
  rewrite !andb_true_iff, !forallb_forall, !Nat.eqb_eq, dlt_spec, val_zero in C.
  destruct C as ((((((((Co & Sg) & Two) & Lq) & Wn) & Qp) & Qs) & _) & _).
  set (rs := real_rows g 0 rows). assert (Lr : length rs = length rows). { unfold rs. clear. generalize 0%nat. induction rows as [|r rows IH]; intro i; simpl; auto. }
  destruct (cones_ok_spec d g rows Co) as (Pos & All). fold rs in All. cbn [gate_count g] in Pos, All.
  assert (Off : forall v x, In v l -> In x xs -> length x = 2%nat /\ dot (vals x) (vals v) <> 0).
  { intros v x V X. unfold cones_ok, g in Co. fold xs in Co. rewrite !andb_true_iff in Co. destruct Co as (((_ & O) & _) & _). rewrite forallb_forall in O.
    specialize (O _ (in_map (fun v => map (fun x => ddot x v) xs) l v V)). rewrite forallb_forall in O. specialize (O _ (in_map (fun x => ddot x v) xs x X)).
    split. { unfold xs, nonzero_points in X. apply filter_In in X as (X & _). specialize (Two x X). now apply Nat.eqb_eq. }
    intro Z. apply negb_true_iff in O. assert (deq (ddot x v) dzero = true); [|congruence]. apply deq_spec. now rewrite val_dot, val_zero. }
  destruct (sectors_of_nth _ _ _ F) as (Lf & Nf). set (m := length l) in *.
  set (A := fun k => vals (fst (nth k found ([], [])))). set (B := fun k => vals (snd (nth k found ([], [])))).
  assert (Ok : forall k, (k < m)%nat -> sector_ok xs (vals (nth k l [])) (A k) (B k)).
  { intros k K. specialize (Nf k K). unfold A, B. destruct (nth k found ([], [])) as (a, b). apply sector_of_spec; [|exact Nf]. intros x X. apply Off; auto. now apply nth_In. }
  assert (Shape : forall k, (k < m)%nat -> length (A k) = 2%nat /\ length (B k) = 2%nat /\ (0 < cross (A k) (B k) \/ (cross (A k) (B k) = 0 /\ dot (A k) (B k) < 0))).
  { intros k K. destruct (Ok k K). auto. }
  assert (Row : forall r, In r rs -> (exists x, In x xs /\ point r = vals x) \/ forall u, dot (point r) u = 0).
  { intros r R. apply row_real_in in R as (p & I & Pt & _). destruct (dnull (dpoint p)) eqn:N.
    - right. intro u. rewrite Pt. now apply dnull_spec.
    - left. exists (dpoint p). split; auto. unfold xs, nonzero_points. apply filter_In. split; [now apply in_map | now rewrite N]. }
  assert (Xs : forall x, In x xs -> exists r, In r rs /\ point r = vals x).
  { intros x X. unfold xs, nonzero_points in X. apply filter_In in X as (X & _). apply in_map_iff in X as (p & <- & I).
    destruct (real_row_in g 0 rows p I) as (r & R & Pt & _). exists r. auto. }
  assert (Opn : forall r k, In r rs -> opens r k = true <-> 0 < dot (point r) (vals (nth k l []))).
  { intros r k R. destruct (opens_orientation l 0 rows r R) as (p & _ & _ & H). apply H. }
  assert (Holds : forall k u, (k < m)%nat -> off rs u -> opens_as rs k u -> sector (A k) (B k) u = 1).
  { intros k u K O Os. destruct (Ok k K). destruct (from_rays0 u) as (Y & Y').
    - intros x X. destruct (Xs x X) as (r & R & Pt). specialize (Os r R). rewrite (Opn r k R) in Os. destruct (Off (nth k l []) x (nth_In _ _ K) X) as (_ & N).
      assert (N2 : dot (vals x) u <> 0). { rewrite <- Pt. apply O; auto. rewrite Pt. intro Z. apply N. now apply dot_null. }
      rewrite Pt in Os. destruct (Rlt_dec 0 (dot (vals x) u)) as [G|G]; [apply Rmult_lt_0_compat; intuition|].
      assert (~ 0 < dot (vals x) (vals (nth k l []))) by intuition. assert (dot (vals x) u < 0) by lra. assert (dot (vals x) (vals (nth k l [])) < 0) by lra. nra.
    - unfold sector. destruct (Rlt_dec 0 (cross (A k) u)), (Rlt_dec 0 (cross u (B k))); auto; contradiction. }
  assert (Held : forall k u, (k < m)%nat -> sector (A k) (B k) u = 1 -> opens_as rs k u).
  { intros k u K S. destruct (Ok k K). destruct (sector_cases (A k) (B k) u) as [(_ & Y & Y')|Z]; [|lra]. intros r R. rewrite (Opn r k R).
    destruct (Row r R) as [(x & X & ->)|Z]; [|rewrite !Z; lra]. specialize (to_rays0 u Y Y' x X).
    split; intro G; [destruct (Rlt_dec 0 (dot (vals x) u)); auto; exfalso; nra | destruct (Rlt_dec 0 (dot (vals x) (vals (nth k l [])))); auto; exfalso; nra]. }
  assert (Turn : forall k, (k < m)%nat -> val (fst (nth k turns (dzero, dzero))) <= angle (A k) (B k) / (2 * PI) <= val (snd (nth k turns (dzero, dzero)))).
  { intros k K. unfold turns. rewrite (nth_indep _ (dzero, dzero) (turns_of ([], []))) by (rewrite map_length; lia). rewrite map_nth. unfold turns_of, A, B.
    destruct (Shape k K) as (La & Lb & T). apply turn_between_spec; fold (A k) (B k).
    - destruct (Req_dec (dot (A k) (A k)) 0) as [Z|N]; [|pose proof (dot_self (A k)); lra]. exfalso. rewrite (two_real _ La), dot_two in Z. unfold cross in T. simpl nth in Z.
      assert (nth 0 (A k) 0 = 0) by nra. assert (nth 1 (A k) 0 = 0) by nra. destruct T as [T|(_ & T)]; [nra|]. rewrite (two_real _ La), dot_two in T. nra.
    - destruct (Req_dec (dot (B k) (B k)) 0) as [Z|N]; [|pose proof (dot_self (B k)); lra]. exfalso. rewrite (two_real _ Lb), dot_two in Z. unfold cross in T. simpl nth in Z.
      assert (nth 0 (B k) 0 = 0) by nra. assert (nth 1 (B k) 0 = 0) by nra. destruct T as [T|(_ & T)]; [nra|]. rewrite dot_comm, (two_real _ Lb), dot_two in T. nra. }
  assert (Lt : length turns = m) by (unfold turns; now rewrite map_length).
  pose proof (opened_spec g 0 rows) as Fo. fold all rs in Fo.
  split; [exact All|]. split.
  - exists (chosen m A B (map vals w)). split.
    + intro u. unfold chosen. destruct (find _ _) as [j|]; [|simpl; lra]. rewrite nth_vals_list. destruct (Nat.lt_ge_cases j (length w)) as [J|J].
      * specialize (Wn _ (nth_In w [] J)). now rewrite dle_spec, val_dot, val_one in Wn.
      * rewrite nth_overflow by assumption. simpl. lra.
    + intros E r R. destruct (chosen_mean rs m A B Pos All Shape Holds Held (map vals w) E r R) as (I & M). split; [exact I|]. rewrite M.
      destruct (forall2_in_r _ _ _ _ Fo R) as (p & P & (Ir & O)). eapply Rle_trans; [apply double_down_spec|].
      eapply Rle_trans; [apply least_spec; apply in_map; exact P|]. unfold low_score. rewrite val_sum, Lt, <- sum_times. unfold vals at 1. rewrite map_map. apply sum_le.
      intros j J. apply in_seq in J. rewrite (O j), nth_vals_list. destruct (opens r j); [|rewrite val_zero; lra].
      rewrite val_min, !val_mul, val_dot, dentry_spec. destruct Ir as (Pt & Tg & _). rewrite Tg, Pt. specialize (Turn j ltac:(lia)).
      set (t := entry (vals (dtarget (fst p))) * dot (vals (dpoint (fst p))) (vals (nth j w []))).
      replace (entry (vals (dtarget (fst p))) * (dot (vals (dpoint (fst p))) (vals (nth j w [])) * (angle (A j) (B j) / (2 * PI)))) with (t * (angle (A j) (B j) / (2 * PI))) by (unfold t; ring).
      clearbody t. set (a := angle (A j) (B j) / (2 * PI)) in *. clearbody a.
      destruct (Rle_dec 0 t); [eapply Rle_trans; [apply Rmin_l|]; nra | eapply Rle_trans; [apply Rmin_r|]; nra].
  - intros E v V J. apply (average_bound (fun r => entry (target r) * mean _ (plain _ E) (feature v r))) with (q := vals q).
    + rewrite vals_length, Lq. auto.
    + intros t T. apply in_map_iff in T as (a & <- & I). specialize (Qp a I). now rewrite dle_spec, val_zero in Qp.
    + now rewrite <- val_sum.
    + set (bound := fun j => val (let s := weighted g FirstLayer j (combine all q) in dsqrt_up (ddot s s))).
      apply Rle_trans with (sum (map (fun j => bound j * (angle (A j) (B j) / (2 * PI))) (seq 0 m))).
      * apply (weighted_mean rs m A B Pos All Shape Holds Held E v (vals q) bound); auto; [rewrite vals_length, Lq; auto|].
        intros k u K. pose proof (weighted_spec g FirstLayer k (v u) all rs Fo q ltac:(lia)) as We. cbn [real_feature] in We. rewrite <- We.
        unfold bound. set (s := weighted g FirstLayer k (combine all q)). eapply Rle_trans; [apply dot_norm|]. pose proof (dnorm_spec s) as N. fold (norm (vals s)) in N.
        assert (norm (v u) <= 1) by (unfold norm; rewrite <- sqrt_1; apply sqrt_le_1_alt; apply V).
        pose proof (norm_nonneg (vals s)). pose proof (norm_nonneg (v u)). nra.
      * apply Rle_trans with (val (high_lengths g turns (combine all q))).
        -- unfold high_lengths. rewrite val_sum, Lt. unfold vals at 1. rewrite map_map. apply sum_le. intros j I. apply in_seq in I. rewrite val_mul.
           fold (bound j). specialize (Turn j ltac:(lia)). assert (0 <= bound j). { unfold bound. eapply Rle_trans; [|apply dnorm_spec]. apply sqrt_pos. }
           rewrite (Rmult_comm (val _)). apply Rmult_le_compat_l; lra.
        -- pose proof (ddiv_up_spec (high_lengths g turns (combine all q)) _ Qs) as D. pose proof (double_up_spec (ddiv_up (high_lengths g turns (combine all q)) (dsum q))) as D2.
           rewrite <- val_sum. apply Rle_trans with (val (high_lengths g turns (combine all q)) / val (dsum q) * val (dsum q)); [right; field; lra|].
           apply Rmult_le_compat_r; lra.
Qed.
