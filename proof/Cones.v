(* SPDX-License-Identifier: Apache-2.0 *)
(* All cones of an arrangement (docs/reference/certificate.md, Section 4): deletion and restriction. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows.
Import ListNotations.

(* --- rows of integers --- *)

(* A row times a power of 2. *)
Definition whole_row (x : list dyadic) : list Z :=
  let e := fold_left (fun e a => if (mantissa a =? 0)%Z then e else Z.min e (exponent a)) x 0%Z in
  map (fun a => Z.shiftl (mantissa a) (Z.max 0 (exponent a - e))) x.
Definition zero_row (r : list Z) : bool := forallb (Z.eqb 0) r.
Definition primitive (r : list Z) : list Z :=
  let g := fold_left Z.gcd r 0%Z in
  if (1 <? g)%Z && forallb (fun t => (t / g * g =? t)%Z) r then map (fun t => (t / g)%Z) r else r.
(* a y + b x *)
Fixpoint combined (a : Z) (y : list Z) (b : Z) (x : list Z) : list Z :=
  match y, x with
  | [], _ => map (Z.mul b) x
  | _, [] => map (Z.mul a) y
  | p :: y, q :: x => (a * p + b * q)%Z :: combined a y b x
  end.
(* y on the hyperplane of x, in coordinates without that of the first entry of x that is not 0, times its size. *)
Fixpoint restricted (x y : list Z) : list Z :=
  match x, y with
  | [], _ => y
  | _, [] => []
  | a :: x, b :: y => if (a =? 0)%Z then b :: restricted x y else combined (Z.abs a) y (- (Z.sgn a * b)) x
  end.

(* At least the number of cones. *)
Definition single_entry (r : list Z) : bool := match r with [a] => negb (a =? 0)%Z | _ => false end.
Fixpoint count_cones (d : nat) (rows : list (list Z)) : option Z :=
  match d with
  | O => match rows with [] => Some 1%Z | _ => if existsb zero_row rows then Some 0%Z else None end
  | S d =>
      if match d with O => negb (Nat.eqb (length rows) 0) && forallb single_entry rows | _ => false end then Some 2%Z else
      (fix each (l : list (list Z)) : option Z :=
         match l with
         | [] => Some 1%Z
         | x :: rest =>
             if zero_row x then Some 0%Z else
             let inside := map (fun y => primitive (restricted x y)) rest in
             match each rest, (if existsb zero_row inside then Some 0%Z else count_cones d inside) with
             | Some a, Some b => Some (a + b)%Z
             | _, _ => None
             end
         end) rows
  end.

(* --- patterns --- *)

(* Patterns of n entries, all different. *)
Fixpoint distinct (n : nat) (l : list (list bool)) : bool :=
  match l with
  | [] | [_] => true
  | _ => match n with
         | O => false
         | S n => forallb (fun p => match p with [] => false | _ => true end) l &&
                  distinct n (map (@tl bool) (filter (hd false) l)) && distinct n (map (@tl bool) (filter (fun p => negb (hd false p)) l))
         end
  end.
Definition nonzero_points (rows : list drow) : list (list dyadic) := filter (fun x => negb (dnull x)) (map dpoint rows).
Definition cones_ok (d : nat) (g : gates) (rows : list drow) : bool :=
  match g with
  | Orientations l =>
      let xs := nonzero_points rows in
      let products := map (fun v => map (fun x => ddot x v) xs) l in
      negb (Nat.eqb (length l) 0) && forallb (forallb (fun t => negb (deq t dzero))) products &&
      distinct (length xs) (map (map (dlt dzero)) products) &&
      match count_cones d (map (fun x => primitive (whole_row x)) xs) with Some c => (c <=? Z.of_nat (length l))%Z | None => false end
  | Patterns _ => false
  end.

(* --- proofs --- *)
Open Scope R_scope.

Definition zdot (r : list Z) (u : vec) : R := dot (map IZR r) u.
Lemma zdot_nil r : zdot r [] = 0.
Proof. apply dot_nil_r. Qed.
Lemma zdot_zero r u : zero_row r = true -> zdot r u = 0.
Proof.
  unfold zero_row, zdot. revert u. induction r as [|a r IH]; intros u H; [simpl; destruct u; reflexivity|]. destruct u as [|h u]; [apply dot_nil_r|].
  cbn [forallb map dot] in *. apply andb_true_iff in H as (A & H). apply Z.eqb_eq in A. subst a. rewrite IH by assumption. ring.
Qed.
Lemma zdot_times k r u : zdot (map (Z.mul k) r) u = IZR k * zdot r u.
Proof.
  unfold zdot. revert u. induction r as [|a r IH]; intros [|h u]; simpl; try ring. rewrite IH, mult_IZR. ring.
Qed.
Lemma zdot_combined a y b x u : zdot (combined a y b x) u = IZR a * zdot y u + IZR b * zdot x u.
Proof.
  revert x u. induction y as [|p y IH]; intros x u; cbn [combined].
  - rewrite zdot_times. unfold zdot at 2. simpl. destruct u; ring.
  - destruct x as [|q x]; [rewrite zdot_times; unfold zdot at 3; simpl; destruct u; ring|].
    destruct u as [|h u]; [rewrite !zdot_nil; ring|]. unfold zdot in *. simpl. rewrite IH, plus_IZR, !mult_IZR. ring.
Qed.
Lemma primitive_spec r : exists k, 0 < k /\ forall u, zdot r u = k * zdot (primitive r) u.
Proof.
  unfold primitive. set (g := fold_left Z.gcd r 0%Z). destruct ((1 <? g)%Z && _) eqn:E; [|exists 1; split; [lra | intros; ring]].
  apply andb_true_iff in E as (G & H). apply Z.ltb_lt in G. exists (IZR g). split; [apply IZR_lt; lia|]. clearbody g.
  unfold zdot. induction r as [|a r IH]; intros [|h u]; simpl; try ring. simpl in H. apply andb_true_iff in H as (A & H). apply Z.eqb_eq in A.
  rewrite (IH H), <- A at 1. rewrite mult_IZR. ring.
Qed.
Lemma whole_row_spec x : exists k, 0 < k /\ forall u, dot (vals x) u = k * zdot (whole_row x) u.
Proof.
  unfold whole_row. set (e := fold_left _ x 0%Z).
  assert (L : forall a, In a x -> mantissa a = 0%Z \/ (e <= exponent a)%Z).
  { unfold e. clear. assert (M : forall l z, (fold_left (fun e a => if (mantissa a =? 0)%Z then e else Z.min e (exponent a)) l z <= z)%Z).
    { induction l as [|a l IH]; intro z; simpl; [lia|]. eapply Z.le_trans; [apply IH|]. destruct (mantissa a =? 0)%Z; lia. }
    assert (G : forall l z a, In a l -> mantissa a = 0%Z \/ (fold_left (fun e a => if (mantissa a =? 0)%Z then e else Z.min e (exponent a)) l z <= exponent a)%Z).
    { induction l as [|b l IH]; intros z a; simpl; [tauto|]. intros [<-|I]; [|now apply IH].
      destruct (Z.eqb_spec (mantissa b) 0); [now left|]. right. eapply Z.le_trans; [apply M|]. lia. }
    intros a I. now apply G. }
  exists (powerRZ 2 e). split; [apply pow2_pos|]. clearbody e. unfold zdot.
  induction x as [|a x IH]; intros [|h u]; simpl; try ring. rewrite IH by (intros; apply L; now right). fold (vals x).
  assert (V : val a = powerRZ 2 e * IZR (Z.shiftl (mantissa a) (Z.max 0 (exponent a - e)))).
  { Transparent val. unfold val. rewrite shiftl_val by lia. destruct (L a (or_introl eq_refl)) as [->|E]; [ring|].
    rewrite Z.max_r by lia. replace (exponent a) with (exponent a - e + e)%Z at 1 by lia. rewrite pow2_add. ring. Opaque val. }
  rewrite V. ring.
Qed.

(* On the hyperplane of x there is a point u' that all restricted rows see as they see u. *)
Lemma restricted_spec x u : zdot x u = 0 -> exists k u', 0 < k /\ forall y, zdot (restricted x y) u' = k * zdot y u.
Proof.
  revert u. induction x as [|a x IH]; intros u H.
  - exists 1, u. split; [lra|]. intro y. simpl. ring.
  - destruct u as [|h u]. { exists 1, []. split; [lra|]. intro y. rewrite !zdot_nil. ring. }
    unfold zdot in H. simpl in H. fold (zdot x u) in H. destruct (Z.eqb_spec a 0) as [->|N].
    + destruct (IH u ltac:(lra)) as (k & u' & K & E). exists k, (k * h :: u'). split; [assumption|]. intros [|b y]; [unfold zdot; simpl; ring|].
      cbn [restricted]. rewrite Z.eqb_refl. unfold zdot in *. simpl. rewrite E. ring.
    + exists (IZR (Z.abs a)), u. split; [apply IZR_lt; lia|]. intros [|b y].
      { cbn [restricted]. unfold zdot. simpl. destruct u; ring. }
      cbn [restricted]. rewrite (proj2 (Z.eqb_neq a 0) N), zdot_combined. unfold zdot at 3. simpl. fold (zdot y u).
      rewrite opp_IZR, mult_IZR. assert (A : IZR (Z.abs a) = IZR (Z.sgn a) * IZR a) by (rewrite <- mult_IZR; f_equal; lia).
      assert (zdot x u = - (IZR a * h)) by lra. rewrite A. nra.
Qed.

Definition seen (r : list Z) (u : vec) (b : bool) : Prop := if b then 0 < zdot r u else zdot r u < 0.
Definition realized (rows : list (list Z)) (p : list bool) : Prop := exists u, Forall2 (fun r b => seen r u b) rows p.
Lemma seen_scale r s u v b k : 0 < k -> zdot s v = k * zdot r u -> seen r u b -> seen s v b.
Proof. unfold seen. intros K E. destruct b; rewrite E; nra. Qed.
Lemma seen_zero r u b : zero_row r = true -> ~ seen r u b.
Proof. intros Z H. unfold seen in H. rewrite (zdot_zero _ _ Z) in H. destruct b; lra. Qed.
Lemma zdot_plus r u v t s : zdot r (plus (times t u) (times s v)) = t * zdot r u + s * zdot r v.
Proof. unfold zdot. now rewrite dot_plus_r, !dot_times_r. Qed.

(* Both sides of x with the same signs of the rest: then so on x. *)
Lemma realized_inside x rest p : realized (x :: rest) (true :: p) -> realized (x :: rest) (false :: p) ->
  realized (map (fun y => primitive (restricted x y)) rest) p.
Proof.
  intros (u & U) (v & V). inversion U as [|? ? ? ? U0 U1]; subst. inversion V as [|? ? ? ? V0 V1]; subst. unfold seen in U0, V0.
  set (w := plus (times (- zdot x v) u) (times (zdot x u) v)).
  assert (W : zdot x w = 0) by (unfold w; rewrite zdot_plus; ring).
  destruct (restricted_spec x w W) as (k & w' & K & E). exists w'.
  clear U V. revert p U1 V1. induction rest as [|y rest IH]; intros p U1 V1; inversion U1; subst; inversion V1; subst; simpl; constructor; [|now apply IH].
  destruct (primitive_spec (restricted x y)) as (c & C & Q). specialize (E y). rewrite Q in E.
  assert (Y : zdot y w = - zdot x v * zdot y u + zdot x u * zdot y v) by apply zdot_plus.
  assert (Z : zdot (primitive (restricted x y)) w' = k / c * zdot y w) by (apply Rmult_eq_reg_l with c; [|lra]; rewrite E; field; lra).
  apply (seen_scale y _ w w' _ (k / c)); auto; [apply Rdiv_lt_0_compat; lra|].
  match goal with A : seen y u ?b |- _ => unfold seen in *; destruct b; nra end.
Qed.

Definition bools_dec (a b : list bool) : {a = b} + {a <> b} := list_eq_dec bool_dec a b.
Lemma nodup_tails b (l : list (list bool)) : NoDup l -> (forall p, In p l -> p <> []) -> NoDup (map (@tl bool) (filter (fun p => eqb (hd false p) b) l)).
Proof.
  induction l as [|p l IH]; intros N H; simpl; [constructor|]. inversion N as [|? ? N0 N1]; subst.
  specialize (IH N1 (fun q Q => H q (or_intror Q))). destruct (eqb (hd false p) b) eqn:E; [|exact IH]. simpl. constructor; [|exact IH].
  intro I. apply in_map_iff in I as (q & Q & I). apply filter_In in I as (I & F). apply N0. apply eqb_prop in E, F.
  pose proof (H p (or_introl eq_refl)) as P. pose proof (H q (or_intror I)) as R. destruct p as [|a p], q as [|c q]; try contradiction. simpl in *. congruence.
Qed.
Lemma filter_length {A} (f : A -> bool) l : (length (filter f l) + length (filter (fun a => negb (f a)) l) = length l)%nat.
Proof. induction l as [|a l IH]; simpl; auto. destruct (f a); simpl; lia. Qed.
Lemma filter_same {A} (f g : A -> bool) l : (forall a, f a = g a) -> filter f l = filter g l.
Proof. intro H. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite H, IH. Qed.

Lemma count_step x rest a b : (forall l, NoDup l -> (forall p, In p l -> realized rest p) -> (Z.of_nat (length l) <= a)%Z) ->
  (forall l, NoDup l -> (forall p, In p l -> realized (map (fun y => primitive (restricted x y)) rest) p) -> (Z.of_nat (length l) <= b)%Z) ->
  forall l, NoDup l -> (forall p, In p l -> realized (x :: rest) p) -> (Z.of_nat (length l) <= a + b)%Z.
Proof.
  intros A B l N R.
  assert (Ne : forall p, In p l -> p <> []). { intros p I ->. destruct (R [] I) as (u & U). inversion U. }
  set (T := map (@tl bool) (filter (fun p => eqb (hd false p) true) l)). set (F := map (@tl bool) (filter (fun p => eqb (hd false p) false) l)).
  assert (In_T : forall p, In p T -> In (true :: p) l).
  { intros p I. apply in_map_iff in I as (q & <- & I). apply filter_In in I as (I & E). apply eqb_prop in E. pose proof (Ne q I). destruct q; [contradiction|]. simpl in *. now subst. }
  assert (In_F : forall p, In p F -> In (false :: p) l).
  { intros p I. apply in_map_iff in I as (q & <- & I). apply filter_In in I as (I & E). apply eqb_prop in E. pose proof (Ne q I). destruct q; [contradiction|]. simpl in *. now subst. }
  set (both := fun p => if in_dec bools_dec p T then true else false).
  assert (L : length l = (length T + length F)%nat).
  { unfold T, F. rewrite !map_length, <- (filter_length (fun p => eqb (hd false p) true) l). f_equal. f_equal. apply filter_same. intro p. now destruct (hd false p). }
  pose proof (filter_length both F) as LF.
  assert (NF : NoDup F) by (now apply nodup_tails). assert (NT : NoDup T) by (now apply nodup_tails).
  assert (Rest : forall c p, realized (x :: rest) (c :: p) -> realized rest p). { intros c p (u & U). exists u. now inversion U. }
  assert (H1 : (Z.of_nat (length (T ++ filter (fun p => negb (both p)) F)) <= a)%Z).
  { apply A.
    - clear -NT NF. revert NT NF. generalize F. unfold both. clear. intros F NT NF.
      assert (D : forall p, In p (filter (fun p => negb (if in_dec bools_dec p T then true else false)) F) -> ~ In p T).
      { intros p I J. apply filter_In in I as (_ & I). destruct (in_dec bools_dec p T); [discriminate | contradiction]. }
      pose proof (NoDup_filter (fun p => negb (if in_dec bools_dec p T then true else false)) NF) as NG.
      set (G := filter _ F) in *. clearbody G. clear NF F. induction T as [|t T IH]; simpl in *; [exact NG|]. inversion NT; subst. constructor.
      + intro I. apply in_app_or in I as [I|I]; [contradiction|]. apply (D t I). now left.
      + apply IH; auto. intros p I J. apply (D p I). now right.
    - intros p I. apply in_app_or in I as [I|I]; [apply (Rest true); auto|]. apply filter_In in I as (I & _). apply (Rest false); auto. }
  assert (H2 : (Z.of_nat (length (filter both F)) <= b)%Z).
  { apply B; [now apply NoDup_filter|]. intros p I. apply filter_In in I as (I & J). unfold both in J. destruct (in_dec bools_dec p T) as [K|]; [|discriminate].
    apply realized_inside; apply R; auto. }
  rewrite app_length in H1. lia.
Qed.

Lemma none_realized rows : existsb zero_row rows = true -> forall p, ~ realized rows p.
Proof.
  intros E p (u & U). apply existsb_exists in E as (r & I & Z). revert p U. induction rows as [|q rows IH]; intros p U; [destruct I|].
  inversion U; subst. destruct I as [->|I]; [eapply seen_zero; eauto | eapply IH; eauto].
Qed.
Lemma none_length (l : list (list bool)) (P : list bool -> Prop) : (forall p, In p l -> P p) -> (forall p, ~ P p) -> length l = 0%nat.
Proof. intros H N. destruct l as [|p l]; [reflexivity|]. destruct (N p). apply H. now left. Qed.
Lemma one_length (l : list (list bool)) : NoDup l -> (forall p, In p l -> realized [] p) -> (length l <= 1)%nat.
Proof.
  intros N R. assert (E : forall p, In p l -> p = []). { intros p I. destruct (R p I) as (u & U). now inversion U. }
  destruct l as [|p [|q l]]; simpl; try lia. inversion N as [|? ? N0 _]; subst. exfalso. apply N0. rewrite (E p), (E q) by (simpl; auto). now left.
Qed.
(* On a line: the side of u alone. *)
Lemma line_pattern rows : forallb single_entry rows = true -> forall p q u v, 0 < entry u * entry v ->
  Forall2 (fun r b => seen r u b) rows p -> Forall2 (fun r b => seen r v b) rows q -> p = q.
Proof.
  induction rows as [|r rows IH]; intros S p q u v E P Q; inversion P; inversion Q; subst; auto. simpl in S. apply andb_true_iff in S as (A & S). f_equal; [|eapply IH; eauto].
  destruct r as [|a [|]]; try discriminate. unfold entry in E. assert (D : forall w, zdot [a] w = IZR a * nth 0 w 0). { intros [|h w]; unfold zdot; simpl; [ring|]. destruct w; ring. }
  match goal with U : seen [a] u ?b, V : seen [a] v ?c |- _ => unfold seen in U, V; rewrite !D in U, V; destruct b, c; auto; exfalso; nra end.
Qed.
Lemma line_count rows : rows <> [] -> forallb single_entry rows = true -> forall l, NoDup l -> (forall p, In p l -> realized rows p) -> (length l <= 2)%nat.
Proof.
  intros Ne S l N R. destruct l as [|p [|q [|s l]]]; simpl; try lia. exfalso.
  destruct (R p) as (u & U); [simpl; auto|]. destruct (R q) as (v & V); [simpl; auto|]. destruct (R s) as (w & W); [simpl; auto|].
  assert (Nz : forall t b, Forall2 (fun r b => seen r t b) rows b -> entry t <> 0).
  { intros t b F E. destruct rows as [|r rows]; [contradiction|]. inversion F as [|? c ? ? G]; subst. simpl in S. destruct r as [|a [|]]; try discriminate.
    unfold seen, zdot in G. unfold entry in E. destruct t as [|h t]; simpl in *; [destruct c; lra|]. subst h. destruct c, t; lra. }
  inversion N as [|? ? N0 N1]; subst. inversion N1 as [|? ? N2 _]; subst.
  pose proof (Nz u p U). pose proof (Nz v q V). pose proof (Nz w s W).
  assert (C : forall a b, a <> 0 -> b <> 0 -> 0 < a * b \/ a * b < 0).
  { intros a b X Y. destruct (Rtotal_order (a * b) 0) as [Z|[Z|Z]]; auto. apply Rmult_integral in Z. tauto. }
  destruct (C (entry u) (entry v)) as [X|X]; auto. { apply N0. left. symmetry. eapply (line_pattern rows S p q u v); eauto. }
  destruct (C (entry u) (entry w)) as [Y|Y]; auto. { apply N0. right. left. symmetry. eapply (line_pattern rows S p s u w); eauto. }
  apply N2. left. symmetry. eapply (line_pattern rows S q s v w); eauto. nra.
Qed.

Theorem count_cones_spec d : forall rows c, count_cones d rows = Some c -> forall l, NoDup l -> (forall p, In p l -> realized rows p) -> (Z.of_nat (length l) <= c)%Z.
Proof.
  induction d as [|d IHd]; intros rows c E l N R.
  - cbn [count_cones] in E. destruct rows as [|r rows]; [injection E as <-; pose proof (one_length l N R); lia|].
    destruct (existsb zero_row (r :: rows)) eqn:Z; [|discriminate]. injection E as <-. rewrite (none_length l _ R (none_realized _ Z)). lia.
  - cbn [count_cones] in E.
    destruct (match d with O => negb (Nat.eqb (length rows) 0) && forallb single_entry rows | _ => false end) eqn:L.
    { injection E as <-. destruct d; [|discriminate]. apply andb_true_iff in L as (Ne & S). destruct rows as [|r rows]; [discriminate|].
      pose proof (line_count (r :: rows) ltac:(discriminate) S l N R). lia. }
    clear L. revert c E l N R. induction rows as [|x rest IH]; intros c E l N R; [injection E as <-; pose proof (one_length l N R); lia|].
    destruct (zero_row x) eqn:Z.
    { injection E as <-. rewrite (none_length l _ R); [lia|]. apply none_realized. simpl. now rewrite Z. }
    match type of E with match ?f rest with _ => _ end = _ => destruct (f rest) as [a|] eqn:A; [|discriminate] end.
    set (inside := map (fun y => primitive (restricted x y)) rest) in E.
    destruct (if existsb zero_row inside then Some 0%Z else count_cones d inside) as [b|] eqn:B; [|discriminate]. injection E as <-.
    refine (count_step x rest a b (IH a eq_refl) _ l N R). intros m M Q. fold inside in Q.
    destruct (existsb zero_row inside) eqn:Zi; [|eapply IHd; eauto]. injection B as <-. rewrite (none_length m _ Q (none_realized _ Zi)). lia.
Qed.

Lemma distinct_spec n l : distinct n l = true -> NoDup l.
Proof.
  revert l. induction n as [|n IH]; intros l H.
  - destruct l as [|p [|q l]]; [constructor | repeat constructor; auto | discriminate].
  - assert (G : forall l : list (list bool), forallb (fun p => match p with [] => false | _ => true end) l = true ->
      NoDup (map (@tl bool) (filter (hd false) l)) -> NoDup (map (@tl bool) (filter (fun p => negb (hd false p)) l)) -> NoDup l).
    { clear. induction l as [|p l IH]; intros S T F; [constructor|]. simpl in S, T, F. apply andb_true_iff in S as (A & S). destruct p as [|b p]; [discriminate|].
      simpl in T, F. destruct b; simpl in T, F.
      - inversion T as [|? ? T0 T1]; subst. constructor; [|now apply IH]. intro I. apply T0. apply in_map_iff. exists (true :: p). split; [reflexivity|]. now apply filter_In.
      - inversion F as [|? ? F0 F1]; subst. constructor; [|now apply IH]. intro I. apply F0. apply in_map_iff. exists (false :: p). split; [reflexivity|]. now apply filter_In. }
    destruct l as [|p [|q l]]; [constructor | repeat constructor; auto |]. cbn [distinct] in H. rewrite !andb_true_iff in H. destruct H as ((S & T) & F). apply G; auto.
Qed.

(* --- all cones --- *)

Definition pattern_of_point (xs : list (list dyadic)) (u : vec) : list bool := map (fun x => if Rlt_dec 0 (dot (vals x) u) then true else false) xs.
Lemma pattern_realized xs u : (forall x, In x xs -> dot (vals x) u <> 0) -> realized (map (fun x => primitive (whole_row x)) xs) (pattern_of_point xs u).
Proof.
  intro H. exists u. unfold pattern_of_point. induction xs as [|x xs IH]; simpl; constructor; [|apply IH; intros; apply H; now right].
  destruct (whole_row_spec x) as (k & K & E). destruct (primitive_spec (whole_row x)) as (c & C & Q). pose proof (H x (or_introl eq_refl)) as N. rewrite E, Q in *.
  assert (P : 0 < k * c) by nra. unfold seen. destruct (Rlt_dec 0 _) as [L|L]; [nra|].
  destruct (Rtotal_order (zdot (primitive (whole_row x)) u) 0) as [Z|[Z|Z]]; auto; [rewrite Z in N; lra | exfalso; apply L; nra].
Qed.
Lemma dnull_iff x : dnull x = true <-> dot (vals x) (vals x) = 0.
Proof.
  split; [apply dnull_spec|]. unfold dnull. induction x as [|a x IH]; simpl; auto. intro H. fold (vals x) in *. pose proof (dot_self (vals x)). pose proof (Rle_0_sqr (val a)) as S. unfold Rsqr in S.
  apply andb_true_iff. split; [|apply IH; lra]. apply Z.eqb_eq, mantissa_zero. assert (val a * val a = 0) by lra. apply Rmult_integral in H1. tauto.
Qed.
Lemma nonzero_in g i rows r : In r (real_rows g i rows) -> dot (point r) (point r) <> 0 -> exists x, In x (nonzero_points rows) /\ point r = vals x.
Proof.
  intros I N. apply row_real_in in I as (p & P & E & _). exists (dpoint p). split; [|exact E]. apply filter_In. split; [now apply in_map|].
  apply negb_true_iff. destruct (dnull (dpoint p)) eqn:D; auto. apply dnull_iff in D. rewrite <- E in D. contradiction.
Qed.
Lemma in_nonzero g i rows x : In x (nonzero_points rows) -> exists r, In r (real_rows g i rows) /\ point r = vals x /\ dot (point r) (point r) <> 0.
Proof.
  intro I. apply filter_In in I as (I & N). apply in_map_iff in I as (p & <- & I). destruct (real_row_in g i rows p I) as (r & R & E & _). exists r.
  repeat split; auto. rewrite E. intro D. apply dnull_iff in D. rewrite D in N. discriminate.
Qed.
Lemma opens_orientation l i rows r k : In r (real_rows (Orientations l) i rows) -> opens r k = true <-> 0 < dot (point r) (vals (nth k l [])).
Proof.
  revert i. induction rows as [|p rows IH]; intro i; simpl; [tauto|]. intros [<-|I]; [|eauto]. simpl. fold (vals (dpoint p)) (vals (nth k l [])).
  destruct (Rlt_dec _ _); split; intro; try discriminate; try contradiction; auto.
Qed.
Lemma pattern_dlt xs v : map (dlt dzero) (map (fun x => ddot x v) xs) = pattern_of_point xs (vals v).
Proof.
  rewrite map_map. apply map_ext. intro x. destruct (Rlt_dec 0 _) as [L|L].
  - apply dlt_spec. now rewrite val_zero, val_dot.
  - destruct (dlt _ _) eqn:E; auto. apply dlt_spec in E. rewrite val_zero, val_dot in E. contradiction.
Qed.
Lemma pattern_same xs u v x : pattern_of_point xs u = pattern_of_point xs v -> In x xs -> (0 < dot (vals x) u <-> 0 < dot (vals x) v).
Proof.
  unfold pattern_of_point. induction xs as [|y xs IH]; simpl; [tauto|]. intros E [->|I]; injection E as E0 E1; [|auto].
  destruct (Rlt_dec 0 (dot (vals x) u)), (Rlt_dec 0 (dot (vals x) v)); try discriminate; tauto.
Qed.

Theorem cones_ok_spec d g rows : cones_ok d g rows = true -> (0 < gate_count g)%nat /\ all_cones (real_rows g 0 rows) (gate_count g).
Proof.
  destruct g as [l|l]; [|discriminate]. unfold cones_ok. set (xs := nonzero_points rows). set (products := map _ l). intro H.
  rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq in H. destruct H as (((Ne & Off) & Di) & Ct). cbn [gate_count]. split; [lia|].
  destruct (count_cones d _) as [c|] eqn:C; [|discriminate]. apply Z.leb_le in Ct. apply distinct_spec in Di.
  assert (Op : forall v x, In v l -> In x xs -> dot (vals x) (vals v) <> 0).
  { intros v x V X E. rewrite forallb_forall in Off. specialize (Off (map (fun x => ddot x v) xs) (in_map _ _ _ V)). rewrite forallb_forall in Off.
    specialize (Off (ddot x v) (in_map (fun x => ddot x v) _ _ X)). apply negb_true_iff in Off.
    assert (deq (ddot x v) dzero = true) by (apply deq_spec; now rewrite val_dot, val_zero). congruence. }
  set (pats := map (map (dlt dzero)) products) in Di.
  assert (Pk : forall k, (k < length l)%nat -> nth k pats [] = pattern_of_point xs (vals (nth k l []))).
  { intros k K. unfold pats, products. rewrite map_map. rewrite (nth_indep _ _ (map (dlt dzero) (map (fun x => ddot x []) xs))) by (now rewrite map_length).
    rewrite (map_nth (fun v => map (dlt dzero) (map (fun x => ddot x v) xs))). apply pattern_dlt. }
  assert (Lp : length pats = length l) by (unfold pats, products; now rewrite !map_length).
  split; [|split].
  - intros k K. exists (vals (nth k l [])). split.
    + intros r I N. destruct (nonzero_in _ _ _ _ I N) as (x & X & ->). apply Op; auto. now apply nth_In.
    + intros r I. eapply opens_orientation; eauto.
  - intros j k (J & K). assert (D : nth j pats [] <> nth k pats []).
    { intro E. apply (proj1 (NoDup_nth pats []) Di) in E; lia. }
    rewrite !Pk in D by lia.
    assert (Ex : exists x, In x xs /\ ~ (0 < dot (vals x) (vals (nth j l [])) <-> 0 < dot (vals x) (vals (nth k l [])))).
    { clearbody xs. clear -D. induction xs as [|x xs IH]; [now destruct D|]. unfold pattern_of_point in *. simpl in D.
      destruct (Rlt_dec 0 (dot (vals x) (vals (nth j l [])))) as [A|A], (Rlt_dec 0 (dot (vals x) (vals (nth k l [])))) as [B|B].
      - destruct IH as (y & Y & Z); [congruence|]. exists y. simpl. auto.
      - exists x. simpl. tauto.
      - exists x. simpl. tauto.
      - destruct IH as (y & Y & Z); [congruence|]. exists y. simpl. auto. }
    destruct Ex as (x & X & E). destruct (in_nonzero (Orientations l) 0 rows x X) as (r & R & Pr & _). exists r. split; [exact R|]. intro Q. apply E.
    rewrite <- Pr, <- !(opens_orientation l 0 rows r _ R), Q. tauto.
  - intros u U.
    assert (Ux : forall x, In x xs -> dot (vals x) u <> 0). { intros x X. destruct (in_nonzero (Orientations l) 0 rows x X) as (r & R & <- & N). now apply U. }
    destruct (in_dec bools_dec (pattern_of_point xs u) pats) as [I|N].
    + destruct (In_nth pats _ [] I) as (k & K & E). rewrite Lp in K. exists k. split; [exact K|]. intros r R. rewrite (opens_orientation l 0 rows r k R).
      rewrite Pk in E by assumption. destruct (Req_dec (dot (point r) (point r)) 0) as [Z|Z]; [rewrite !(dot_null _ _ Z); tauto|].
      destruct (nonzero_in _ _ _ _ R Z) as (x & X & ->). eapply pattern_same; eauto.
    + exfalso. assert (B : (Z.of_nat (length (pattern_of_point xs u :: pats)) <= c)%Z).
      { eapply count_cones_spec; [exact C | now constructor |]. intros p [<-|P]; [now apply pattern_realized|].
        apply in_map_iff in P as (q & <- & P). apply in_map_iff in P as (v & <- & P). rewrite pattern_dlt. apply pattern_realized. intros; now apply Op. }
      simpl length in B. lia.
Qed.

(* A step from u so small that what is not 0 keeps its sign. *)
Lemma small_step (rows : list row) u v : exists e, 0 < e /\ forall r, In r rows -> dot (point r) u <> 0 -> Rabs (e * dot (point r) v) < Rabs (dot (point r) u).
Proof.
  induction rows as [|r rows (e & E & IH)]; [exists 1; split; [lra | intros r []]|].
  destruct (Req_dec (dot (point r) u) 0) as [Z|Z].
  { exists e. split; auto. intros s [<-|I] N; [contradiction | auto]. }
  set (t := dot (point r) v). set (b := Rabs (dot (point r) u)). assert (B : 0 < b) by (now apply Rabs_pos_lt).
  assert (Tp : 0 <= Rabs t) by apply Rabs_pos.
  exists (Rmin e (b / (2 * (Rabs t + 1)))). assert (Q : 0 < b / (2 * (Rabs t + 1))) by (apply Rdiv_lt_0_compat; lra).
  assert (P : 0 < Rmin e (b / (2 * (Rabs t + 1)))) by (now apply Rmin_glb_lt).
  pose proof (Rmin_l e (b / (2 * (Rabs t + 1)))) as Ml. pose proof (Rmin_r e (b / (2 * (Rabs t + 1)))) as Mr.
  split; [exact P|]. intros s [<-|I] N; rewrite Rabs_mult, (Rabs_pos_eq (Rmin _ _)) by lra.
  - fold t b. apply Rle_lt_trans with (b / (2 * (Rabs t + 1)) * Rabs t); [now apply Rmult_le_compat_r|].
    replace (b / (2 * (Rabs t + 1)) * Rabs t) with (b * (Rabs t / (2 * (Rabs t + 1)))) by (field; lra).
    assert (Rabs t / (2 * (Rabs t + 1)) < 1) by (apply Rmult_lt_reg_r with (2 * (Rabs t + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). nra.
  - specialize (IH s I N). rewrite Rabs_mult, (Rabs_pos_eq e) in IH by lra. eapply Rle_lt_trans; [|exact IH]. apply Rmult_le_compat_r; [apply Rabs_pos | exact Ml].
Qed.
(* Every direction lies in a closed cone: a little towards the first orientation it lies inside one. *)
Lemma all_cones_closed rows m u : (0 < m)%nat -> all_cones rows m -> exists k, (k < m)%nat /\ in_cone rows k u.
Proof.
  intros M (A & _ & C). destruct (A O M) as (v & V & _).
  destruct (small_step rows u v) as (e & E & S). set (w := plus u (times e v)).
  assert (W : forall r, dot (point r) w = dot (point r) u + e * dot (point r) v) by (intro r; unfold w; now rewrite dot_plus_r, dot_times_r).
  destruct (C w) as (k & K & O).
  { intros r I N. rewrite W. pose proof (V r I N) as Vr. destruct (Req_dec (dot (point r) u) 0) as [Z|Z]; [rewrite Z; nra|].
    specialize (S r I Z). intro Q. assert (Rabs (dot (point r) u) = Rabs (e * dot (point r) v)) by (replace (dot (point r) u) with (- (e * dot (point r) v)) by lra; apply Rabs_Ropp). lra. }
  exists k. split; [exact K|]. intros r I. pose proof (O r I) as Or. rewrite W in Or.
  assert (H : (dot (point r) u < 0 -> dot (point r) u + e * dot (point r) v < 0) /\ (0 < dot (point r) u -> 0 < dot (point r) u + e * dot (point r) v)).
  { split; intro Z; specialize (S r I ltac:(lra)); unfold Rabs in S; destruct (Rcase_abs (dot (point r) u)), (Rcase_abs (e * dot (point r) v)); lra. }
  destruct H as (Hn & Hp). destruct (opens r k).
  - assert (0 < dot (point r) u + e * dot (point r) v) by (now apply Or). destruct (Rle_dec 0 (dot (point r) u)); [assumption|]. specialize (Hn ltac:(lra)). lra.
  - destruct (Rle_dec (dot (point r) u) 0); [assumption|]. specialize (Hp ltac:(lra)). apply Or in Hp. discriminate.
Qed.
