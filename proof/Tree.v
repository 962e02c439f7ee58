(* SPDX-License-Identifier: Apache-2.0 *)
(* Trees of the joint relaxation (docs/reference/certificate.md, Section 5): sum_i v_i relu(<x_i, u>) <= P |u| for all u. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Statement Linear Vectors Rows Duality Definite.
Import ListNotations.

(* --- terms s_col coef <pt, u>, grouped by their column --- *)

Record term := Term { col : Z; coef : dyadic; pt : list dyadic }.
Definition same_column (j : Z) (l : list term) : option (list (Z * list term)) :=
  match l with
  | [] => Some []
  | _ => if forallb (fun t => (col t =? j)%Z) l then Some [(j, l)] else None
  end.
(* Columns lo .. hi - 1, by halves. *)
Fixpoint grouped (fuel : nat) (lo hi : Z) (l : list term) : option (list (Z * list term)) :=
  match fuel, l with
  | O, _ => same_column lo l
  | _, [] => Some []
  | S fuel, _ =>
      if (hi - lo <=? 1)%Z then same_column lo l else
      let mid := ((lo + hi) / 2)%Z in
      match grouped fuel lo mid (filter (fun t => (col t <? mid)%Z) l), grouped fuel mid hi (filter (fun t => negb (col t <? mid)%Z) l) with
      | Some a, Some b => Some (a ++ b)
      | _, _ => None
      end
  end.
Definition by_column (lo hi : Z) (l : list term) := grouped (2 + Z.to_nat (Z.log2 hi)) lo hi l.

(* --- a leaf --- *)

Definition entry_of := (Z * Z * dyadic)%type. (* i, j, Theta_ij *)
Definition signs_fixed := list (Z * bool). (* rows of the path with their signs, the first split first *)
Fixpoint sign_at (j : Z) (l : signs_fixed) : option bool :=
  match l with [] => None | (k, e) :: rest => if (k =? j)%Z then Some e else sign_at j rest end.
Definition signed (e : bool) (a : dyadic) := if e then a else dneg a.
(* A column whose sign is fixed joins column 0. *)
Definition redirected (fixed : signs_fixed) (t : term) : term :=
  match sign_at (col t - 1) fixed with
  | Some e => if (0 <? col t)%Z then Term 0 (signed e (coef t)) (pt t) else t
  | None => t
  end.
Fixpoint rows_terms (i : Z) (xs : list (list dyadic)) (v : list dyadic) : list term :=
  match xs, v with x :: xs, a :: v => Term i a x :: rows_terms (i + 1) xs v | _, _ => [] end.
Fixpoint entry_terms (xs : list (list dyadic)) (l : list entry_of) : option (list (term * Z)) :=
  match l with
  | [] => Some []
  | (i, j, theta) :: rest =>
      match znth i xs, entry_terms xs rest with Some x, Some more => Some ((Term i theta x, j) :: more) | _, _ => None end
  end.
(* psi_i = max(0, v_i + sum_j |Theta_ij|) *)
Fixpoint psi_terms (xs : list (list dyadic)) (groups : list (Z * list term)) : option (list term) :=
  match groups with
  | [] => Some []
  | (i, l) :: rest =>
      match znth i xs, psi_terms xs rest with
      | Some x, Some more => Some (Term (i + 1) (dmax dzero (dsum (map coef l))) x :: more)
      | _, _ => None
      end
  end.
Fixpoint nu_terms (xs : list (list dyadic)) (fixed : signs_fixed) (nu : list dyadic) : option (list term) :=
  match fixed, nu with
  | [], [] => Some []
  | (j, e) :: fixed, a :: nu =>
      match znth j xs, nu_terms xs fixed nu with
      | Some x, Some more => if dle dzero a then Some (Term 0 (signed e a) x :: more) else None
      | _, _ => None
      end
  | _, _ => None
  end.
Definition column_of (l : list term) : list dyadic := dtotal (map (fun t => dtimes (coef t) (pt t)) l).
Fixpoint weigh_columns (gamma : list dyadic) (groups : list (Z * list term)) : option (list (dyadic * list dyadic)) :=
  match groups with
  | [] => Some []
  | (j, l) :: rest =>
      match znth j gamma, weigh_columns gamma rest with Some g, Some more => Some ((g, column_of l) :: more) | _, _ => None end
  end.
Definition leaf_columns (xs : list (list dyadic)) (v : list dyadic) (fixed : signs_fixed) (entries : list entry_of) (gamma nu : list dyadic)
  : option (list (dyadic * list dyadic)) :=
  let n := Z.of_nat (length xs) in
  let base := rows_terms 0 xs v in
  match entry_terms xs entries, nu_terms xs fixed nu with
  | Some found, Some pushed =>
      match by_column 0 n (base ++ map (fun p => Term (col (fst p)) (dabs (coef (fst p))) (pt (fst p))) found) with
      | Some groups =>
          match psi_terms xs groups with
          | Some psi =>
              let terms := map (fun t => Term 0 (coef t) (pt t)) base ++ pushed ++
                           map (redirected fixed) (psi ++ map (fun p => Term (snd p) (dneg (coef (fst p))) (pt (fst p))) found) in
              match by_column 0 (n + 1) terms with Some groups => weigh_columns gamma groups | None => None end
          | None => None
          end
      | None => None
      end
  | _, _ => None
  end.
Definition bound_columns (d : nat) (P : dyadic) (l : list (dyadic * list dyadic)) : bool :=
  let l := filter (fun p => negb (dnull (snd p))) l in
  let used := filter (fun p => dlt dzero (fst p)) l in
  let loose := filter (fun p => negb (dlt dzero (fst p))) l in
  let T := dsum (map (fun p => dsqrt_up (ddot (snd p) (snd p))) loose) in
  let a := dsum (map (fun p => ddiv_up done (fst p)) used) in
  let Q := dsub (dadd P P) T in
  let S := fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] used in
  let M := tri_plus (tri_diagonal d (dmul Q Q)) (tri_times (dneg a) S) in
  forallb (fun p => dle dzero (fst p)) l && forallb (fun p => Nat.eqb (length (snd p)) d) used && dle dzero Q &&
  match used with
  | [] => true
  | _ => tri_definite (Z.log2 (Z.abs (mantissa (dmul Q Q))) + exponent (dmul Q Q) - 220) d M
  end.
(* With (1, x_i) for x_i and (b, u) for u, |b| <= R |u|: a lift l moves weight from b to u. *)
Definition bound_lifted (d : nat) (R2 P : dyadic) (lift : dyadic) (l : list (dyadic * list dyadic)) : bool :=
  let used := filter (fun p => negb (dnull (snd p))) l in
  let a := dsum (map (fun p => ddiv_up done (fst p)) used) in
  let last := dmul a lift in
  let top := dsub (dmul (dadd P P) (dadd P P)) (dmul last R2) in
  let S := fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] used in
  let M := tri_plus ((last :: repeat dzero d) :: tri_diagonal d top) (tri_times (dneg a) S) in
  forallb (fun p => dlt dzero (fst p)) used && forallb (fun p => Nat.eqb (length (snd p)) (Datatypes.S d)) used && dle dzero P && dle dzero lift &&
  match used with
  | [] => true
  | _ => tri_definite (Z.log2 (Z.abs (mantissa top)) + exponent top - 220) (Datatypes.S d) M
  end.

(* --- a tree --- *)

Inductive tree := Split (j : Z) (above below : tree) | Leaf (entries : list entry_of) (gamma nu lift : list dyadic).
Definition bounds := list dyadic -> list (dyadic * list dyadic) -> bool.
Definition leaf_ok (bounded : bounds) (xs : list (list dyadic)) (v : list dyadic) (fixed : signs_fixed) (entries : list entry_of)
  (gamma nu lift : list dyadic) : bool :=
  match leaf_columns xs v fixed entries gamma nu with Some l => bounded lift l | None => false end.
Fixpoint tree_ok (bounded : bounds) (xs : list (list dyadic)) (v : list dyadic) (fixed : signs_fixed) (t : tree) : bool :=
  match t with
  | Split j above below =>
      match znth j xs, sign_at j fixed with
      | Some _, None => tree_ok bounded xs v (fixed ++ [(j, true)]) above && tree_ok bounded xs v (fixed ++ [(j, false)]) below
      | _, _ => false
      end
  | Leaf entries gamma nu lift => leaf_ok bounded xs v fixed entries gamma nu lift
  end.

(* --- proofs --- *)
Open Scope R_scope.

Lemma sum_app l m : sum (l ++ m) = sum l + sum m.
Proof. induction l as [|a l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
Lemma sum_filter {A} (f : A -> R) p l : sum (map f (filter p l)) + sum (map f (filter (fun a => negb (p a)) l)) = sum (map f l).
Proof. induction l as [|a l IH]; simpl; [lra|]. destruct (p a); simpl; lra. Qed.

Lemma grouped_spec (f : term -> R) fuel : forall lo hi l groups, grouped fuel lo hi l = Some groups ->
  sum (map (fun g => sum (map f (snd g))) groups) = sum (map f l) /\ (forall g t, In g groups -> In t (snd g) -> col t = fst g /\ In t l).
Proof.
  assert (S : forall j l groups, same_column j l = Some groups ->
    sum (map (fun g => sum (map f (snd g))) groups) = sum (map f l) /\ (forall g t, In g groups -> In t (snd g) -> col t = fst g /\ In t l)).
  { intros j l groups H. destruct l as [|t l]; [injection H as <-; split; [reflexivity | intros g t []]|]. unfold same_column in H.
    destruct (forallb _ (t :: l)) eqn:E; [|discriminate]. injection H as <-. split; [simpl; ring|]. intros g s [<-|[]] I.
    rewrite forallb_forall in E. split; [|exact I]. apply Z.eqb_eq. auto. }
  induction fuel as [|fuel IH]; intros lo hi l groups H; [eapply S; exact H|].
  destruct l as [|t l]; [injection H as <-; split; [reflexivity | intros g s []]|]. cbn [grouped] in H.
  destruct (hi - lo <=? 1)%Z; [eapply S; exact H|].
  set (mid := ((lo + hi) / 2)%Z) in H. set (L := t :: l) in *.
  destruct (grouped fuel lo mid _) as [a|] eqn:A; [|discriminate]. destruct (grouped fuel mid hi _) as [b|] eqn:B; [|discriminate].
  injection H as <-. destruct (IH _ _ _ _ A) as (A1 & A2). destruct (IH _ _ _ _ B) as (B1 & B2). split.
  - rewrite map_app, sum_app, A1, B1. apply sum_filter.
  - intros g s G I. apply in_app_or in G as [G|G].
    + destruct (A2 g s G I) as (C & D). split; auto. now apply filter_In in D.
    + destruct (B2 g s G I) as (C & D). split; auto. now apply filter_In in D.
Qed.

Lemma by_column_spec (f : term -> R) lo hi l groups : by_column lo hi l = Some groups ->
  sum (map (fun g => sum (map f (snd g))) groups) = sum (map f l) /\ (forall g t, In g groups -> In t (snd g) -> col t = fst g /\ In t l).
Proof. apply grouped_spec. Qed.
Opaque by_column.

Section Leaf.
  Variables (xs : list (list dyadic)) (u : vec) (fixed : signs_fixed).
  Definition obeys : Prop := forall j e x, sign_at j fixed = Some e -> znth j xs = Some x -> if e then 0 <= dot (vals x) u else dot (vals x) u <= 0.
  Hypothesis path : obeys.

  (* The sign of column j. *)
  Definition sigma (j : Z) : R :=
    if (0 <? j)%Z then
      match sign_at (j - 1) fixed with
      | Some e => if e then 1 else -1
      | None => match znth (j - 1) xs with Some x => if Rle_dec 0 (dot (vals x) u) then 1 else -1 | None => 1 end
      end
    else 1.
  Lemma sigma_abs j t : sigma j * t <= Rabs t.
  Proof.
    assert (H : sigma j = 1 \/ sigma j = -1).
    { unfold sigma. destruct (0 <? j)%Z; [|auto]. destruct (sign_at _ _) as [[]|]; auto. destruct (znth _ _); auto. destruct (Rle_dec _ _); auto. }
    pose proof (Rle_abs t). pose proof (Rle_abs (- t)). rewrite Rabs_Ropp in H1. destruct H as [->| ->]; lra.
  Qed.
  Lemma sigma_row i x : (0 <= i)%Z -> znth i xs = Some x -> sigma (i + 1) * dot (vals x) u = Rabs (dot (vals x) u).
  Proof.
    intros I Z. unfold sigma. assert (L : (0 <? i + 1)%Z = true) by (apply Z.ltb_lt; lia). rewrite L. replace (i + 1 - 1)%Z with i by lia. rewrite Z.
    destruct (sign_at i fixed) as [e|] eqn:E.
    - pose proof (path i e x E Z) as P. destruct e; [rewrite Rabs_pos_eq | rewrite Rabs_left1]; lra.
    - destruct (Rle_dec 0 _); [rewrite Rabs_pos_eq | rewrite Rabs_left1]; lra.
  Qed.
  Definition value (t : term) : R := sigma (col t) * (val (coef t) * dot (vals (pt t)) u).
  Lemma redirected_value t : value (redirected fixed t) = value t.
  Proof.
    unfold redirected. destruct (sign_at (col t - 1) fixed) as [e|] eqn:E; [|reflexivity]. destruct (0 <? col t)%Z eqn:L; [|reflexivity].
    unfold value, sigma. rewrite L, E. simpl. destruct e; simpl; rewrite ?val_neg; ring.
  Qed.

  Definition size (t : term) : R := val (coef t) * Rabs (dot (vals (pt t)) u).
  Lemma znth_nonneg {A} (l : list A) i a : znth i l = Some a -> (0 <= i)%Z.
  Proof.
    revert i. induction l as [|b l IH]; simpl; intro i; [discriminate|]. destruct (Z.eqb_spec i 0); [lia|]. intro H. apply IH in H. lia.
  Qed.
  Lemma rows_terms_in all i v t : In t (rows_terms i all v) -> exists k, (k + i)%Z = col t /\ znth k all = Some (pt t).
  Proof.
    revert i v. induction all as [|x all IH]; intros i [|a v]; simpl; try tauto. intros [<-|I].
    - exists 0%Z. split; [simpl; lia | reflexivity].
    - destruct (IH _ _ I) as (k & K & Z). exists (k + 1)%Z. split; [lia|]. pose proof (znth_nonneg _ _ _ Z).
      destruct (Z.eqb_spec (k + 1) 0); [lia|]. now replace (k + 1 - 1)%Z with k by lia.
  Qed.
  Lemma entry_terms_in l found t : entry_terms xs l = Some found -> In t found -> znth (col (fst t)) xs = Some (pt (fst t)).
  Proof.
    revert found. induction l as [|((i, j), theta) l IH]; simpl; intro found; [intros [= <-] []|].
    destruct (znth i xs) as [x|] eqn:Z; [|discriminate]. destruct (entry_terms xs l) as [more|]; [|discriminate]. intros [= <-] [<-|I]; [exact Z | eauto].
  Qed.
  Lemma psi_terms_spec groups psi : psi_terms xs groups = Some psi ->
    (forall g t, In g groups -> In t (snd g) -> znth (fst g) xs = Some (pt t)) ->
    sum (map (fun g => sum (map size (snd g))) groups) <= sum (map value psi).
  Proof.
    revert psi. induction groups as [|(i, l) groups IH]; simpl; intros psi H G; [injection H as <-; simpl; lra|].
    destruct (znth i xs) as [x|] eqn:Z; [|discriminate]. destruct (psi_terms xs groups) as [more|]; [|discriminate]. injection H as <-. simpl.
    apply Rplus_le_compat; [|apply IH; auto; intros; eapply G; eauto].
    unfold value. cbn [col coef pt]. rewrite val_max, val_zero, val_sum.
    replace (sigma (i + 1) * (Rmax 0 (sum (vals (map coef l))) * dot (vals x) u)) with (Rmax 0 (sum (vals (map coef l))) * (sigma (i + 1) * dot (vals x) u)) by ring.
    rewrite (sigma_row i x (znth_nonneg _ _ _ Z) Z).
    assert (E : sum (map size l) = sum (vals (map coef l)) * Rabs (dot (vals x) u)).
    { rewrite Rmult_comm. unfold vals at 2. rewrite map_map, <- sum_times. apply sum_ext. intros t T. unfold size.
      pose proof (G (i, l) t (or_introl eq_refl) T) as Y. simpl in Y. rewrite Z in Y. injection Y as <-. ring. }
    rewrite E. apply Rmult_le_compat_r; [apply Rabs_pos | apply Rmax_r].
  Qed.
  Lemma nu_terms_spec l nu made : (forall j e, In (j, e) l -> sign_at j fixed = Some e) -> nu_terms xs l nu = Some made -> 0 <= sum (map value made).
  Proof.
    revert nu made. induction l as [|(j, e) l IH]; intros [|a nu] made F H; simpl in H; try discriminate; [injection H as <-; simpl; lra|].
    destruct (znth j xs) as [x|] eqn:Z; [|discriminate]. destruct (nu_terms xs l nu) as [more|] eqn:M; [|discriminate].
    destruct (dle dzero a) eqn:A; [|discriminate]. injection H as <-. rewrite dle_spec, val_zero in A. simpl.
    apply Rplus_le_le_0_compat; [|eapply IH; [|exact M]; intros; apply F; now right].
    unfold value, sigma. simpl. pose proof (path j e x (F j e (or_introl eq_refl)) Z) as P. destruct e; simpl; rewrite ?val_neg; nra.
  Qed.

  Lemma leaf_columns_spec v entries gamma nu l : (forall j e, In (j, e) fixed -> sign_at j fixed = Some e) ->
    leaf_columns xs v fixed entries gamma nu = Some l ->
    2 * sum (map (fun t => val (coef t) * relu (dot (vals (pt t)) u)) (rows_terms 0 xs v)) <= sum (map (fun p => Rabs (dot (vals (snd p)) u)) l).
  Proof.
    intros F H. unfold leaf_columns in H. set (n := Z.of_nat (length xs)) in H. set (base := rows_terms 0 xs v) in *.
    destruct (entry_terms xs entries) as [found|] eqn:E; [|discriminate]. destruct (nu_terms xs fixed nu) as [pushed|] eqn:N; [|discriminate].
    set (abs_of := fun p : term * Z => Term (col (fst p)) (dabs (coef (fst p))) (pt (fst p))) in H.
    set (neg_of := fun p : term * Z => Term (snd p) (dneg (coef (fst p))) (pt (fst p))) in H.
    destruct (by_column 0 n (base ++ map abs_of found)) as [groups|] eqn:G; [|discriminate].
    destruct (psi_terms xs groups) as [psi|] eqn:Ps; [|discriminate].
    set (terms := map (fun t => Term 0 (coef t) (pt t)) base ++ pushed ++ map (redirected fixed) (psi ++ map neg_of found)) in H.
    destruct (by_column 0 (n + 1) terms) as [columns|] eqn:C; [|discriminate].
    (* all terms *)
    assert (S1 : sum (map value terms) <= sum (map (fun p => Rabs (dot (vals (snd p)) u)) l)).
    { destruct (by_column_spec value _ _ _ _ C) as (<- & K). clear -H K path. revert l H.
      induction columns as [|(j, ts) columns IH]; intros l H; simpl in H; [injection H as <-; simpl; lra|].
      destruct (znth j gamma) as [g|]; [|discriminate]. destruct (weigh_columns gamma columns) as [more|]; [|discriminate]. injection H as <-. simpl.
      apply Rplus_le_compat; [|apply IH; auto; intros; apply K; [now right | assumption]].
      eapply Rle_trans; [|apply (sigma_abs j)]. right. unfold column_of. rewrite dot_dtotal, map_map, <- sum_times. apply sum_ext. intros t T.
      unfold value. rewrite vals_times, dot_times. destruct (K (j, ts) t (or_introl eq_refl) T) as (-> & _). reflexivity. }
    eapply Rle_trans; [|exact S1]. unfold terms. rewrite !map_app, !sum_app, !map_map.
    rewrite (sum_ext (fun t => value (redirected fixed t)) value psi) by (intros; apply redirected_value).
    rewrite (sum_ext (fun p => value (redirected fixed (neg_of p))) (fun p => value (neg_of p)) found) by (intros; apply redirected_value).
    pose proof (nu_terms_spec fixed nu pushed F N) as S2.
    (* psi *)
    assert (S3 : sum (map size base) + sum (map (fun p => size (abs_of p)) found) <= sum (map value psi)).
    { destruct (by_column_spec size _ _ _ _ G) as (Q & K). rewrite map_app, sum_app, map_map in Q. rewrite <- Q.
      apply psi_terms_spec; [exact Ps|]. intros g t Ig It. destruct (K g t Ig It) as (Ct & Jt). rewrite <- Ct. apply in_app_or in Jt as [Jt|Jt].
      - apply rows_terms_in in Jt as (k & Kk & Zk). now replace (col t) with k by lia.
      - apply in_map_iff in Jt as (p & <- & Ip). exact (entry_terms_in entries found p E Ip). }
    (* Theta *)
    assert (S4 : 0 <= sum (map (fun p => size (abs_of p)) found) + sum (map (fun p => value (neg_of p)) found)).
    { rewrite <- sum_plus. apply sum_nonneg. intros p _. unfold size, value, abs_of, neg_of. cbn [col coef pt]. rewrite val_abs, val_neg.
      set (t := dot (vals (pt (fst p))) u). pose proof (sigma_abs (snd p) (val (coef (fst p)) * t)) as A. rewrite Rabs_mult in A. lra. }
    assert (S5 : 2 * sum (map (fun t => val (coef t) * relu (dot (vals (pt t)) u)) base) =
                 sum (map (fun t => value (Term 0 (coef t) (pt t))) base) + sum (map size base)).
    { rewrite <- sum_times, <- sum_plus. apply sum_ext. intros t _. unfold value, size, sigma. simpl. unfold relu, Rmax, Rabs.
      destruct (Rle_dec 0 _), (Rcase_abs _); lra. }
    lra.
  Qed.
End Leaf.

Lemma weighted_sum (l : list (dyadic * list dyadic)) u : (forall p, In p l -> 0 < val (fst p)) ->
  sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) * sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) <=
  sum (map (fun p => / val (fst p)) l) * sum (map (fun p => val (fst p) * (dot (vals (snd p)) u * dot (vals (snd p)) u)) l).
Proof.
  intro P.
  assert (E : sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) =
              dot (map (fun p => / sqrt (val (fst p))) l) (map (fun p => sqrt (val (fst p)) * Rabs (dot (vals (snd p)) u)) l)).
  { rewrite dot_map. apply sum_ext. intros p I. pose proof (sqrt_lt_R0 _ (P p I)). field. lra. }
  rewrite E. eapply Rle_trans; [apply cauchy_schwarz|]. rewrite !dot_map. right. f_equal; apply sum_ext; intros p I.
  - rewrite <- Rinv_mult. f_equal. apply sqrt_sqrt. apply Rlt_le. auto.
  - set (c := dot (vals (snd p)) u). replace (sqrt (val (fst p)) * Rabs c * (sqrt (val (fst p)) * Rabs c)) with
      (sqrt (val (fst p)) * sqrt (val (fst p)) * (Rabs c * Rabs c)) by ring.
    rewrite sqrt_sqrt by (apply Rlt_le; auto). f_equal. unfold Rabs. destruct (Rcase_abs c); ring.
Qed.

Lemma columns_form d l u : (forall p, In p l -> length (snd p) = d) ->
  tri_shape d (fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] l) /\
  form (tri_vals (fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] l)) u =
  sum (map (fun p => val (fst p) * (dot (vals (snd p)) u * dot (vals (snd p)) u)) l).
Proof.
  induction l as [|p l IH]; intro L. { split; [destruct d; exact I | reflexivity]. }
  destruct (IH (fun q Q => L q (or_intror Q))) as (S & F). clear IH.
  assert (Sp : tri_shape d (tri_times (fst p) (outer_product (snd p)))) by (apply shape_times, shape_outer, L; now left).
  cbn [fold_right]. split; [now apply shape_plus|]. rewrite (form_plus d) by assumption. rewrite F, form_times, form_outer. reflexivity.
Qed.
Lemma diagonal_length d q : length (tri_diagonal d q) = d.
Proof. induction d; simpl; auto. Qed.
Lemma shape_length d a : tri_shape d a -> (length a <= d)%nat.
Proof. revert d. induction a as [|b a IH]; intros [|d]; simpl; try tauto; try lia. intros (_ & S). apply IH in S. lia. Qed.
Lemma tri_plus_length a b : (length b <= length a)%nat -> length (tri_plus a b) = length a.
Proof. revert b. induction a as [|p a IH]; intros [|q b] L; simpl in *; try lia. rewrite IH; lia. Qed.

Lemma bound_columns_spec d P l u : (length u <= d)%nat -> bound_columns d P l = true ->
  sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) <= 2 * val P * norm u.
Proof.
  intros U H. unfold bound_columns in H.
  set (l1 := filter (fun p => negb (dnull (snd p))) l) in H.
  assert (E1 : sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) = sum (map (fun p => Rabs (dot (vals (snd p)) u)) l1)).
  { unfold l1. clear. induction l as [|p l IH]; simpl; [reflexivity|]. destruct (dnull (snd p)) eqn:N; simpl; rewrite IH; [|reflexivity].
    rewrite (dnull_spec _ u N), Rabs_R0. ring. }
  rewrite E1. clear E1.
  set (used := filter (fun p => dlt dzero (fst p)) l1) in H. set (loose := filter (fun p => negb (dlt dzero (fst p))) l1) in H.
  set (T := dsum (map (fun p => dsqrt_up (ddot (snd p) (snd p))) loose)) in H.
  set (a := dsum (map (fun p => ddiv_up done (fst p)) used)) in H.
  set (Q := dsub (dadd P P) T) in H.
  set (S := fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] used) in H.
  rewrite !andb_true_iff, !forallb_forall, dle_spec, val_zero in H. destruct H as (((_ & Lu) & Qp) & D).
  rewrite <- (sum_filter _ (fun p => dlt dzero (fst p)) l1). fold used loose.
  assert (Lo : sum (map (fun p => Rabs (dot (vals (snd p)) u)) loose) <= val T * norm u).
  { unfold T. rewrite val_sum. unfold vals at 2. rewrite map_map, Rmult_comm, <- sum_times. apply sum_le. intros p _.
    rewrite Rmult_comm. apply Rle_trans with (norm (vals (snd p)) * norm u).
    - apply Rabs_le. pose proof (dot_norm (vals (snd p)) u). pose proof (dot_norm (times (-1) (vals (snd p))) u) as X. rewrite dot_times in X.
      replace (norm (times (-1) (vals (snd p)))) with (norm (vals (snd p))) in X; [lra|].
      unfold norm. rewrite dot_times, dot_times_r. f_equal. ring.
    - apply Rmult_le_compat_r; [apply norm_nonneg | apply dnorm_spec]. }
  assert (Us : sum (map (fun p => Rabs (dot (vals (snd p)) u)) used) <= val Q * norm u).
  { assert (Dn : used = [] \/ tri_definite (Z.log2 (Z.abs (mantissa (dmul Q Q))) + exponent (dmul Q Q) - 220) d (tri_plus (tri_diagonal d (dmul Q Q)) (tri_times (dneg a) S)) = true)
      by (clear -D; clearbody a S Q; destruct used; [now left | now right]).
    destruct Dn as [Eu|Dn]; [rewrite Eu; simpl; apply Rmult_le_pos; [exact Qp | apply norm_nonneg]|]. clear D.
    assert (Up : forall p, In p used -> 0 < val (fst p)).
    { intros p I. apply filter_In in I as (_ & I). now rewrite dlt_spec, val_zero in I. }
    assert (Ul : forall p, In p used -> length (snd p) = d) by (intros p I; apply Nat.eqb_eq; auto).
    destruct (columns_form d used u Ul) as (Sh & Fo). fold S in Sh, Fo.
    assert (Sm : tri_shape d (tri_times (dneg a) S)) by (now apply shape_times).
    pose proof (tri_definite_spec _ d _ (shape_plus d _ _ (shape_diagonal d (dmul Q Q)) Sm)
                  ltac:(rewrite tri_plus_length; [apply diagonal_length | rewrite diagonal_length; now apply shape_length]) Dn u U) as G.
    rewrite (form_plus d) in G by (try apply shape_diagonal; assumption). rewrite form_diagonal, form_times, val_neg, val_mul, Fo in G by assumption.
    apply square_le; [apply Rmult_le_pos; [exact Qp | apply norm_nonneg]|].
    eapply Rle_trans; [now apply weighted_sum|].
    assert (A : sum (map (fun p => / val (fst p)) used) <= val a).
    { unfold a. rewrite val_sum. unfold vals. rewrite map_map. apply sum_le. intros p I. pose proof (ddiv_up_spec done (fst p) (Up p I)) as X.
      rewrite val_one in X. unfold Rdiv in X. lra. }
    set (s := sum (map (fun p => val (fst p) * (dot (vals (snd p)) u * dot (vals (snd p)) u)) used)) in *.
    assert (Sp : 0 <= s) by (apply sum_nonneg; intros p I; apply Rmult_le_pos; [apply Rlt_le; auto | apply Rle_0_sqr]).
    apply Rle_trans with (val a * s); [now apply Rmult_le_compat_r|].
    replace (val Q * norm u * (val Q * norm u)) with (val Q * val Q * (norm u * norm u)) by ring. rewrite norm_square. lra. }
  unfold Q in Us. rewrite val_sub, val_add in Us. lra.
Qed.

Lemma form_lifted d last top b u : (length u <= d)%nat ->
  form (tri_vals ((last :: repeat dzero d) :: tri_diagonal d top)) (b :: u) = val last * (b * b) + val top * dot u u.
Proof. intro U. cbn [tri_vals map vals form]. change (map val (repeat dzero d)) with (vals (repeat dzero d)). rewrite dot_repeat_zero. fold (tri_vals (tri_diagonal d top)). rewrite form_diagonal by assumption. ring. Qed.
Lemma bound_lifted_spec d R2 P lift l b u : (length u <= d)%nat -> b * b <= val R2 * dot u u -> bound_lifted d R2 P lift l = true ->
  sum (map (fun p => Rabs (dot (vals (snd p)) (b :: u))) l) <= 2 * (val P * norm u).
Proof.
  intros U Br H. unfold bound_lifted in H.
  set (used := filter (fun p => negb (dnull (snd p))) l) in H. set (w := b :: u).
  assert (E1 : sum (map (fun p => Rabs (dot (vals (snd p)) w)) l) = sum (map (fun p => Rabs (dot (vals (snd p)) w)) used)).
  { unfold used. clear. induction l as [|p l IH]; simpl; [reflexivity|]. destruct (dnull (snd p)) eqn:N; simpl; rewrite IH; [|reflexivity].
    rewrite (dnull_spec _ w N), Rabs_R0. ring. }
  rewrite E1. clear E1.
  set (a := dsum (map (fun p => ddiv_up done (fst p)) used)) in H. set (last := dmul a lift) in H.
  set (top := dsub (dmul (dadd P P) (dadd P P)) (dmul last R2)) in H.
  set (S := fold_right (fun p s => tri_plus (tri_times (fst p) (outer_product (snd p))) s) [] used) in H.
  rewrite !andb_true_iff, !forallb_forall, !dle_spec, val_zero in H. destruct H as ((((Up & Lu) & Pp) & Lp) & D).
  assert (Nn : 0 <= val P * norm u) by (apply Rmult_le_pos; [exact Pp | apply norm_nonneg]).
  assert (Dn : used = [] \/ tri_definite (Z.log2 (Z.abs (mantissa top)) + exponent top - 220) (Datatypes.S d)
                 (tri_plus ((last :: repeat dzero d) :: tri_diagonal d top) (tri_times (dneg a) S)) = true)
    by (clear -D; clearbody a S last top; destruct used; [now left | now right]).
  destruct Dn as [Eu|Dn]; [rewrite Eu; simpl; lra|]. clear D.
  assert (Pos : forall p, In p used -> 0 < val (fst p)). { intros p I. specialize (Up p I). now rewrite dlt_spec, val_zero in Up. }
  assert (Ul : forall p, In p used -> length (snd p) = Datatypes.S d) by (intros p I; apply Nat.eqb_eq; auto).
  destruct (columns_form (Datatypes.S d) used w Ul) as (Sh & Fo). fold S in Sh, Fo.
  assert (Sm : tri_shape (Datatypes.S d) (tri_times (dneg a) S)) by (now apply shape_times).
  assert (Sd : tri_shape (Datatypes.S d) ((last :: repeat dzero d) :: tri_diagonal d top)).
  { cbn [tri_shape length]. rewrite repeat_length. split; [reflexivity | apply shape_diagonal]. }
  pose proof (tri_definite_spec _ (Datatypes.S d) _ (shape_plus _ _ _ Sd Sm)
                ltac:(rewrite tri_plus_length; cbn [length]; rewrite diagonal_length; [reflexivity | now apply shape_length]) Dn w ltac:(unfold w; simpl; lia)) as G.
  rewrite (form_plus (Datatypes.S d)) in G by assumption. unfold w in G at 1. rewrite form_lifted, form_times, val_neg, Fo in G by assumption.
  apply square_le; [lra|]. eapply Rle_trans; [now apply weighted_sum|].
  assert (A : sum (map (fun p => / val (fst p)) used) <= val a).
  { unfold a. rewrite val_sum. unfold vals. rewrite map_map. apply sum_le. intros p I. pose proof (ddiv_up_spec done (fst p) (Pos p I)) as X.
    rewrite val_one in X. unfold Rdiv in X. lra. }
  assert (A0 : 0 <= val a). { eapply Rle_trans; [|exact A]. apply sum_nonneg. intros p I. apply Rlt_le, Rinv_0_lt_compat. auto. }
  set (s := sum (map (fun p => val (fst p) * (dot (vals (snd p)) w * dot (vals (snd p)) w)) used)) in *.
  assert (Sp : 0 <= s) by (apply sum_nonneg; intros p I; apply Rmult_le_pos; [apply Rlt_le; auto | apply Rle_0_sqr]).
  apply Rle_trans with (val a * s); [now apply Rmult_le_compat_r|].
  unfold top, last in G. rewrite val_sub, !val_mul, val_add in G.
  assert (0 <= val a * val lift * (val R2 * dot u u - b * b)) by (apply Rmult_le_pos; [now apply Rmult_le_pos | lra]).
  replace (2 * (val P * norm u) * (2 * (val P * norm u))) with (4 * val P * val P * (norm u * norm u)) by ring. rewrite norm_square. lra.
Qed.

Lemma sign_at_app j l m : sign_at j (l ++ m) = match sign_at j l with Some e => Some e | None => sign_at j m end.
Proof. induction l as [|(k, e) l IH]; simpl; auto. destruct (k =? j)%Z; auto. Qed.

Theorem tree_ok_spec (bounded : bounds) xs v u most t : (forall lift l, bounded lift l = true -> sum (map (fun p => Rabs (dot (vals (snd p)) u)) l) <= 2 * most) ->
  forall fixed, obeys xs u fixed -> (forall j e, In (j, e) fixed -> sign_at j fixed = Some e) -> tree_ok bounded xs v fixed t = true ->
  sum (map (fun t => val (coef t) * relu (dot (vals (pt t)) u)) (rows_terms 0 xs v)) <= most.
Proof.
  intro Bd. induction t as [j above IHa below IHb|entries gamma nu lift]; intros fixed O F H; simpl in H.
  - destruct (znth j xs) as [x|] eqn:Z; [|discriminate]. destruct (sign_at j fixed) eqn:Sg; [discriminate|].
    apply andb_true_iff in H as (A & B).
    assert (Ob : forall e : bool, (if e then 0 <= dot (vals x) u else dot (vals x) u <= 0) -> obeys xs u (fixed ++ [(j, e)])).
    { intros e E k f y K Y. rewrite sign_at_app in K. destruct (sign_at k fixed) as [g|] eqn:Q; [injection K as ->; eapply O; eauto|].
      simpl in K. destruct (Z.eqb_spec j k) as [<-|]; [|discriminate]. injection K as <-. rewrite Z in Y. injection Y as <-. exact E. }
    assert (Fx : forall e k f, In (k, f) (fixed ++ [(j, e)]) -> sign_at k (fixed ++ [(j, e)]) = Some f).
    { intros e k f I. rewrite sign_at_app. apply in_app_or in I as [I|[I|[]]]; [now rewrite (F k f I)|]. injection I as <- <-. rewrite Sg. simpl.
      now rewrite Z.eqb_refl. }
    destruct (Rle_dec 0 (dot (vals x) u)) as [R|R].
    + apply (IHa (fixed ++ [(j, true)])); [apply (Ob true); exact R | apply Fx | exact A].
    + apply (IHb (fixed ++ [(j, false)])); [apply (Ob false); simpl; lra | apply Fx | exact B].
  - unfold leaf_ok in H. destruct (leaf_columns xs v fixed entries gamma nu) as [l|] eqn:L; [|discriminate].
    pose proof (leaf_columns_spec xs u fixed O v entries gamma nu l F L) as A. pose proof (Bd lift l H) as B. lra.
Qed.
