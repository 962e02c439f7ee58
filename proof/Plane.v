(* SPDX-License-Identifier: Apache-2.0 *)
(* Prices that are found, not listed: one and two columns, or points beside a line (docs/reference/certificate.md, Section 5).

   In the plane h(u) = sum_i v_i relu(<x_i, u>) is linear between neighbouring rays a, b that are orthogonal to points, so that
   h(s a + t b) = s h(a) + t h(b), and |h| <= P |u| there if P^2 |s a + t b|^2 - (s h(a) + t h(b))^2 >= 0 for s, t >= 0: a form in two numbers. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Statement Linear Vectors Rows Duality Tree Prices.
Import ListNotations.

Definition place := (dyadic * dyadic)%type.
Definition cross (a b : place) : dyadic := dsub (dmul (fst a) (snd b)) (dmul (snd a) (fst b)).
Definition inner_product (a b : place) : dyadic := dadd (dmul (fst a) (fst b)) (dmul (snd a) (snd b)).
(* A direction with the products <x_i, a>, h(a) and h(-a). *)
Record ray := Ray { at_place : place; products : list dyadic; ahead : dyadic; behind : dyadic }.
Definition ray_at (v : list dyadic) (xs : list (list dyadic)) (a : place) : ray :=
  let p := map (fun x => ddot x [fst a; snd a]) xs in
  Ray a p (ddot v (map (dmax dzero) p)) (ddot v (map (fun t => dmax dzero (dneg t)) p)).
Fixpoint straight (p q : list dyadic) : bool :=
  match p, q with s :: p, t :: q => negb (dsgn s * dsgn t =? -1)%Z && straight p q | [], [] => true | _, _ => false end.
Definition copositive (P : dyadic) (a b : place) (h k : dyadic) : bool :=
  let P2 := dmul P P in
  let A := dsub (dmul P2 (inner_product a a)) (dmul h h) in
  let C := dsub (dmul P2 (inner_product b b)) (dmul k k) in
  let B := dsub (dmul P2 (inner_product a b)) (dmul h k) in
  dle dzero A && dle dzero C && (dle dzero B || dle (dmul B B) (dmul A C)).
Definition arc_ok (P : dyadic) (a b : ray) : bool :=
  dlt dzero (cross (at_place a) (at_place b)) && straight (products a) (products b) &&
  copositive P (at_place a) (at_place b) (ahead a) (ahead b) && copositive P (at_place a) (at_place b) (behind a) (behind b).
Fixpoint chain_ok (P : dyadic) (a : ray) (l : list ray) : bool :=
  match l with [] => true | b :: rest => arc_ok P a b && chain_ok P b rest end.

(* Rays of the upper half-plane in their order; nothing rests on it. *)
Fixpoint merged (a : list place) : list place -> list place :=
  match a with
  | [] => fun b => b
  | p :: a' => fix into (b : list place) : list place :=
      match b with [] => a | q :: b' => if dlt dzero (cross p q) then p :: merged a' b else if dlt (cross p q) dzero then q :: into b' else merged a' b end
  end.
Fixpoint halves (l : list place) : list place * list place := match l with [] => ([], []) | p :: l => let (a, b) := halves l in (p :: b, a) end.
Fixpoint sorted (fuel : nat) (l : list place) : list place :=
  match fuel, l with
  | S fuel, _ :: _ :: _ => let (a, b) := halves l in merged (sorted fuel a) (sorted fuel b)
  | _, _ => l
  end.
Definition ray_of (x : list dyadic) : list place :=
  match x with
  | [p; q] => if (dsgn p =? 0)%Z || (dsgn q =? 0)%Z then [] else [if dle dzero p then (dneg q, p) else (q, dneg p)]
  | _ => []
  end.
Definition east : place := (done, dzero).
Definition north : place := (dzero, done).
Definition west : place := (dint (-1), dzero).
Definition plane_ok (P : dyadic) (v : list dyadic) (xs : list (list dyadic)) : bool :=
  let rays := flat_map ray_of xs in
  let first := sorted 60 (filter (fun a => dlt dzero (fst a)) rays) in
  let second := sorted 60 (filter (fun a => dlt (fst a) dzero) rays) in
  let to := ray_at v xs in
  dle dzero P && chain_ok P (to east) (map to (first ++ [north])) && chain_ok P (to north) (map to (second ++ [west])).

(* One column t, less c: h(1) and h(-1), with scale A >= 0: |h| A <= left. *)
Definition line_at (A2 left : dyadic) (v ts : list dyadic) (c : dyadic) : bool :=
  let p := map (fun t => dsub t c) ts in
  let h := ddot v (map (dmax dzero) p) in
  let k := ddot v (map (fun t => dmax dzero (dneg t)) p) in
  dle (dmul (dmul h h) A2) (dmul left left) && dle (dmul (dmul k k) A2) (dmul left left).
Definition line_ok (free : bool) (A2 left : dyadic) (v ts : list dyadic) : bool :=
  dle dzero left && if free then deq (dsum v) dzero && Nat.eqb (length v) (length ts) && forallb (line_at A2 left v ts) ts else line_at A2 left v ts dzero.

Definition miss_along (a : list dyadic) (v ts : list dyadic) (xs : list (list dyadic)) : dyadic :=
  dsum (map (fun p : dyadic * (dyadic * list dyadic) => let z := less (snd (snd p)) (dtimes (fst (snd p)) a) in dmul (dabs (fst p)) (dsqrt_up (ddot z z)))
            (combine v (combine ts xs))).
Definition exact_ok (free : bool) (d : nat) (along : option (list dyadic * list dyadic)) (xs : list (list dyadic)) (v : list dyadic) (P : dyadic) : bool :=
  match along with
  | Some (a, ts) => Nat.eqb (length ts) (length xs) && dlt dzero (ddot a a) && line_ok free (ddot a a) (dsub P (miss_along a v ts xs)) v ts
  | None =>
      match d with
      | 1%nat => line_ok free done P v (map (fun x => nth 0 x dzero) xs)
      | 2%nat => if free then dle dzero P && deq (dsum v) dzero && Nat.eqb (length v) (length xs) && forallb (fun x => plane_ok P v (map (fun y => less y x) xs)) xs
                 else plane_ok P v xs
      | _ => false
      end
  end.

(* --- proofs --- *)
Open Scope R_scope.

Definition vec_of (a : place) : vec := [val (fst a); val (snd a)].
Lemma vals_place a : vals [fst a; snd a] = vec_of a.
Proof. reflexivity. Qed.
Lemma relu_linear s t x y : 0 <= x -> 0 <= y -> ~ s * t < 0 -> relu (x * s + y * t) = x * relu s + y * relu t.
Proof.
  intros X Y N. destruct (Rle_dec 0 s) as [S|S], (Rle_dec 0 t) as [T|T].
  - rewrite !relu_pos by nra. ring.
  - assert (s = 0) by nra. subst s. rewrite (relu_pos 0), (relu_neg t), relu_neg by nra. ring.
  - assert (t = 0) by nra. subst t. rewrite (relu_pos 0), (relu_neg s), relu_neg by nra. ring.
  - rewrite !relu_neg by nra. ring.
Qed.
Lemma sgn_opposite s t : negb (dsgn s * dsgn t =? -1)%Z = true -> ~ val s * val t < 0.
Proof.
  rewrite negb_true_iff, Z.eqb_neq. intros H N. apply H. Transparent dsgn. unfold dsgn. Opaque dsgn.
  destruct (Rle_dec (val s) 0) as [S|S], (Rle_dec (val t) 0) as [T|T]; try nra.
  - assert (A : val s < 0) by nra. assert (B : 0 < val t) by nra. apply mantissa_pos in B.
    assert (C : 0 < val (dneg s)) by (rewrite val_neg; lra). apply mantissa_pos in C. Transparent dneg. simpl in C. Opaque dneg. rewrite (Z.sgn_neg (mantissa s)), (Z.sgn_pos (mantissa t)) by lia. reflexivity.
  - assert (A : val t < 0) by nra. assert (B : 0 < val s) by nra. apply mantissa_pos in B.
    assert (C : 0 < val (dneg t)) by (rewrite val_neg; lra). apply mantissa_pos in C. Transparent dneg. simpl in C. Opaque dneg. rewrite (Z.sgn_neg (mantissa t)), (Z.sgn_pos (mantissa s)) by lia. reflexivity.
Qed.
Lemma ray_ahead v xs a : val (ahead (ray_at v xs a)) = gain (paired v xs) (vec_of a) 0 /\ val (behind (ray_at v xs a)) = gain (paired v xs) (times (-1) (vec_of a)) 0.
Proof.
  unfold ray_at, gain, paired. cbn [ahead behind]. rewrite !val_dot. revert v. induction xs as [|x xs IH]; intros [|c v]; try (split; reflexivity).
  destruct (IH v) as (A & B). cbn [map combine sum fold_right fst snd vals dot]. unfold vals, sum in A, B. unfold vals. cbn [map dot combine fold_right fst snd].
  rewrite A, B, !val_max, val_neg, val_zero, val_dot, !Rplus_0_r, vals_place, dot_times_r. unfold relu, vals.
  split; [reflexivity|]. f_equal. f_equal. f_equal. ring.
Qed.
Lemma gain_straight v xs a b x y : 0 <= x -> 0 <= y -> straight (products (ray_at v xs a)) (products (ray_at v xs b)) = true ->
  gain (paired v xs) (plus (times x (vec_of a)) (times y (vec_of b))) 0 = x * gain (paired v xs) (vec_of a) 0 + y * gain (paired v xs) (vec_of b) 0 /\
  gain (paired v xs) (times (-1) (plus (times x (vec_of a)) (times y (vec_of b)))) 0 =
    x * gain (paired v xs) (times (-1) (vec_of a)) 0 + y * gain (paired v xs) (times (-1) (vec_of b)) 0.
Proof.
  intros X Y. cbn [ray_at products]. unfold gain, paired. revert v. induction xs as [|p xs IH]; intros [|c v] S.
  1-3: simpl; split; ring.
  cbn [map straight] in S. apply andb_true_iff in S as (N & S). apply sgn_opposite in N. rewrite !val_dot, !vals_place in N.
  destruct (IH v S) as (A & B). simpl combine. cbn [map sum fold_right fst snd]. fold (vals v). unfold sum in A, B. rewrite A, B, !Rplus_0_r.
  rewrite !dot_times_r, !dot_plus_r, !dot_times_r. split.
  - rewrite relu_linear by assumption. ring.
  - replace (-1 * (x * dot (vals p) (vec_of a) + y * dot (vals p) (vec_of b))) with (x * (-1 * dot (vals p) (vec_of a)) + y * (-1 * dot (vals p) (vec_of b))) by ring.
    rewrite relu_linear; [ring | assumption | assumption | nra].
Qed.
Lemma copositive_spec P a b h k x y : 0 <= val P -> copositive P a b h k = true -> 0 <= x -> 0 <= y ->
  Rabs (x * val h + y * val k) <= val P * norm (plus (times x (vec_of a)) (times y (vec_of b))).
Proof.
  intros Pp H X Y. unfold copositive in H. rewrite !andb_true_iff, orb_true_iff, !dle_spec, !val_mul, !val_sub, !val_mul, val_zero in H.
  set (w := plus _ _). apply square_le; [apply Rmult_le_pos; [exact Pp | apply norm_nonneg]|].
  replace (Rabs (x * val h + y * val k) * Rabs (x * val h + y * val k)) with ((x * val h + y * val k) * (x * val h + y * val k)) by (unfold Rabs; destruct (Rcase_abs _); ring).
  replace (val P * norm w * (val P * norm w)) with (val P * val P * (norm w * norm w)) by ring. rewrite norm_square.
  unfold inner_product in H. rewrite !val_add, !val_mul in H. unfold w, vec_of. simpl.
  set (p := val (fst a)) in *. set (q := val (snd a)) in *. set (r := val (fst b)) in *. set (s := val (snd b)) in *. set (P2 := val P * val P) in *.
  set (A := P2 * (p * p + q * q) - val h * val h) in *. set (C := P2 * (r * r + s * s) - val k * val k) in *. set (B := P2 * (p * r + q * s) - val h * val k) in *.
  destruct H as ((HA & HC) & HB).
  assert (F : 0 <= x * x * A + 2 * (x * y) * B + y * y * C).
  { assert (XY : 0 <= x * y) by nra. destruct (Rle_dec 0 B) as [Bp|Bn].
    - assert (0 <= x * x * A) by (apply Rmult_le_pos; nra). assert (0 <= y * y * C) by (apply Rmult_le_pos; nra). assert (0 <= x * y * B) by nra. lra.
    - destruct HB as [HB|HB]; [lra|]. destruct (Req_dec A 0) as [Z|Z].
      + rewrite Z in HB. assert (B = 0) by nra. lra.
      + assert (0 < A) by lra. apply Rmult_le_reg_l with A; [assumption|]. rewrite Rmult_0_r.
        replace (A * (x * x * A + 2 * (x * y) * B + y * y * C)) with ((x * A + y * B) * (x * A + y * B) + y * y * (A * C - B * B)) by ring.
        apply Rplus_le_le_0_compat; [apply Rle_0_sqr | apply Rmult_le_pos; [apply Rle_0_sqr | lra]]. }
  unfold A, B, C in F. nra.
Qed.

(* |h| <= P |u| at u and at - u. *)
Definition held (P : R) (l : list (R * vec)) (u : vec) : Prop := Rabs (gain l u 0) <= P * norm u /\ Rabs (gain l (times (-1) u) 0) <= P * norm u.
Definition turn (a : place) (h k : R) : R := val (fst a) * k - val (snd a) * h.
Lemma arc_ok_spec P v xs a b h k : 0 <= val P -> arc_ok P (ray_at v xs a) (ray_at v xs b) = true -> 0 <= turn a h k -> turn b h k <= 0 ->
  held (val P) (paired v xs) [h; k].
Proof.
  intros Pp H A B. unfold arc_ok in H. rewrite !andb_true_iff, dlt_spec, val_zero in H. destruct H as (((C & S) & F) & G).
  change (at_place (ray_at v xs a)) with a in *. change (at_place (ray_at v xs b)) with b in *. unfold cross in C. rewrite val_sub, !val_mul in C. unfold turn in *.
  set (c := val (fst a) * val (snd b) - val (snd a) * val (fst b)) in *.
  set (x := - (val (fst b) * k - val (snd b) * h) / c). set (y := (val (fst a) * k - val (snd a) * h) / c).
  assert (X : 0 <= x) by (unfold x; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, C]).
  assert (Y : 0 <= y) by (unfold y; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, C]).
  assert (E : [h; k] = plus (times x (vec_of a)) (times y (vec_of b))).
  { unfold vec_of, x, y. simpl. f_equal; [|f_equal]; unfold c; field; fold c; lra. }
  destruct (gain_straight v xs a b x y X Y S) as (U & D). destruct (ray_ahead v xs a) as (A1 & A2). destruct (ray_ahead v xs b) as (B1 & B2).
  unfold held. rewrite E, U, D, <- A1, <- A2, <- B1, <- B2. split; apply copositive_spec; assumption.
Qed.
Lemma last_default {A} (l : list A) c a b : last (c :: l) a = last (c :: l) b.
Proof. revert c. induction l as [|d l IH]; intro c; [reflexivity|]. exact (IH d). Qed.
Lemma chain_ok_spec P v xs h k : 0 <= val P -> forall l a, chain_ok P (ray_at v xs a) (map (ray_at v xs) l) = true -> l <> [] ->
  0 <= turn a h k -> turn (last l a) h k <= 0 -> held (val P) (paired v xs) [h; k].
Proof.
  intro Pp. induction l as [|b l IH]; intros a H N A B; [contradiction|]. simpl map in H. cbn [chain_ok] in H. apply andb_true_iff in H as (H & R).
  destruct (Rle_dec (turn b h k) 0) as [T|T]; [eapply arc_ok_spec; eauto|].
  destruct l as [|c l]; [simpl in B; lra|]. apply (IH b); auto; [discriminate | lra|]. rewrite (last_default l c b a). exact B.
Qed.
Lemma last_app {A} (l : list A) a b : last (l ++ [a]) b = a.
Proof. induction l as [|c l IH]; simpl; [reflexivity|]. rewrite IH. destruct (l ++ [a]) eqn:E; [destruct l; discriminate | reflexivity]. Qed.
Lemma held_neg P l u : held P l (times (-1) u) -> held P l u.
Proof.
  intros (A & B). assert (N : norm (times (-1) u) = norm u) by (unfold norm; rewrite dot_times, dot_times_r; f_equal; ring). rewrite N in *.
  assert (E : times (-1) (times (-1) u) = u). { unfold times. rewrite map_map. rewrite <- (map_id u) at 2. apply map_ext. intro. ring. }
  rewrite E in B. now split.
Qed.
Lemma plane_ok_spec P v xs u : plane_ok P v xs = true -> List.length u = 2%nat -> held (val P) (paired v xs) u.
Proof.
  unfold plane_ok. intros H L.
  generalize dependent (sorted 60 (filter (fun a => dlt dzero (fst a)) (flat_map ray_of xs))). intro first.
  generalize dependent (sorted 60 (filter (fun a => dlt (fst a) dzero) (flat_map ray_of xs))). intros second H.
  cbv zeta in H. rewrite !andb_true_iff, dle_spec, val_zero in H. destruct H as ((Pp & F) & S).
  assert (Upper : forall h k, 0 <= k -> held (val P) (paired v xs) [h; k]).
  { intros h k K. destruct (Rle_dec 0 h) as [X|X].
    - refine (chain_ok_spec P v xs h k Pp (first ++ [north]) east F _ _ _); [now destruct first| |]; unfold turn.
      + simpl. rewrite val_one, val_zero. lra.
      + rewrite last_app. simpl. rewrite val_one, val_zero. lra.
    - refine (chain_ok_spec P v xs h k Pp (second ++ [west]) north S _ _ _); [now destruct second| |]; unfold turn.
      + simpl. rewrite val_one, val_zero. lra.
      + rewrite last_app. simpl. rewrite val_int, val_zero. lra. }
  destruct u as [|h [|k [|]]]; try discriminate. destruct (Rle_dec 0 k) as [K|K]; [auto|].
  apply held_neg. simpl. apply Upper. lra.
Qed.

(* --- one column --- *)

Definition ramps (v ts : list dyadic) (h : R) : list (R * R) := combine (vals v) (map (fun t => val t * h) ts).
Lemma ramp_line v ts c h : let p := map (fun t => dsub t c) ts in
  ramp (ramps v ts h) (- (val c * h)) = Rabs h * (if Rle_dec 0 h then val (ddot v (map (dmax dzero) p)) else val (ddot v (map (fun t => dmax dzero (dneg t)) p))).
Proof.
  cbv zeta. unfold ramp, ramps. destruct (Rle_dec 0 h) as [H|H]; rewrite val_dot.
  - rewrite Rabs_pos_eq by assumption. revert v. induction ts as [|t ts IH]; intros [|a v]; simpl; try ring. fold (vals v). rewrite IH. unfold vals. rewrite val_max, val_zero, val_sub.
    change (Rmax 0 (val t - val c)) with (relu (val t - val c)). replace (val t * h + - (val c * h)) with (h * (val t - val c)) by ring. rewrite relu_scale by assumption. ring.
  - rewrite Rabs_left by lra. revert v. induction ts as [|t ts IH]; intros [|a v]; simpl; try ring. fold (vals v). rewrite IH. unfold vals. rewrite val_max, val_zero, val_neg, val_sub.
    change (Rmax 0 (- (val t - val c))) with (relu (- (val t - val c))). replace (val t * h + - (val c * h)) with (- h * (- (val t - val c))) by ring. rewrite relu_scale by lra. ring.
Qed.
Lemma ramps_neg v ts h b : ramp (ramps (map dneg v) ts h) b = - ramp (ramps v ts h) b.
Proof.
  unfold ramp, ramps. revert v. induction ts as [|t ts IH]; intros [|a v]; simpl; try ring. fold (vals v) (vals (map dneg v)). rewrite IH, val_neg. ring.
Qed.
Lemma line_at_spec A2 left v ts c h : 0 <= val A2 -> 0 <= val left -> line_at A2 left v ts c = true ->
  Rabs (ramp (ramps v ts h) (- (val c * h))) * sqrt (val A2) <= val left * Rabs h.
Proof.
  intros A L H. unfold line_at in H. rewrite ramp_line. cbv zeta. set (p := map (fun t => dsub t c) ts) in *.
  rewrite andb_true_iff, !dle_spec, !val_mul in H.
  assert (G : forall t, t * t * val A2 <= val left * val left -> Rabs (Rabs h * t) * sqrt (val A2) <= val left * Rabs h).
  { intros t T. rewrite Rabs_mult, Rabs_Rabsolu. assert (Rabs t * sqrt (val A2) <= val left).
    { apply square_le; [exact L|]. replace (Rabs t * sqrt (val A2) * (Rabs t * sqrt (val A2))) with ((Rabs t * Rabs t) * (sqrt (val A2) * sqrt (val A2))) by ring.
      rewrite sqrt_sqrt by assumption. replace (Rabs t * Rabs t) with (t * t) by (unfold Rabs; destruct (Rcase_abs t); ring). exact T. }
    pose proof (Rabs_pos h). nra. }
  destruct (Rle_dec 0 h); apply G; tauto.
Qed.
Lemma ramps_sum v ts h : length v = length ts -> sum (map fst (ramps v ts h)) = val (dsum v).
Proof. rewrite val_sum. unfold ramps. revert ts. induction v as [|a v IH]; intros [|t ts] L; simpl in *; try discriminate; auto. f_equal. apply IH. lia. Qed.
Lemma ramps_in v ts h p : In p (ramps v ts h) -> exists t, In t ts /\ snd p = val t * h.
Proof. destruct p as (a, y). intro I. apply in_combine_r in I. apply in_map_iff in I as (t & <- & I). eauto. Qed.
Lemma sum_neg v : val (dsum (map dneg v)) = - val (dsum v).
Proof. rewrite !val_sum. induction v as [|a v IH]; simpl; [ring|]. fold (vals v) (vals (map dneg v)). rewrite IH, val_neg. ring. Qed.
Lemma line_ok_spec free A2 left v ts h b : 0 < val A2 -> line_ok free A2 left v ts = true -> (free = false -> b = 0) ->
  Rabs (ramp (ramps v ts h) b) * sqrt (val A2) <= val left * Rabs h.
Proof.
  intros A H F. unfold line_ok in H. apply andb_true_iff in H as (L & H). rewrite dle_spec, val_zero in L. assert (Q : 0 < sqrt (val A2)) by (now apply sqrt_lt_R0).
  destruct free.
  - rewrite !andb_true_iff, deq_spec, val_zero, Nat.eqb_eq, forallb_forall in H. destruct H as ((Z & N) & H).
    set (B := val left * Rabs h / sqrt (val A2)).
    assert (Bp : 0 <= B). { unfold B. apply Rmult_le_pos; [apply Rmult_le_pos; [exact L | apply Rabs_pos] | apply Rlt_le, Rinv_0_lt_compat, Q]. }
    assert (K : forall t, In t ts -> Rabs (ramp (ramps v ts h) (- (val t * h))) <= B).
    { intros t I. pose proof (line_at_spec A2 left v ts t h ltac:(lra) L (H t I)) as G. unfold B. apply Rmult_le_reg_r with (sqrt (val A2)); [exact Q|].
      unfold Rdiv. rewrite (Rmult_assoc _ (/ _)), Rinv_l, Rmult_1_r by lra. exact G. }
    assert (Up : ramp (ramps v ts h) b <= B).
    { apply at_kinks; [now rewrite ramps_sum | exact Bp|]. intros p I. apply ramps_in in I as (t & I & ->). eapply Rle_trans; [apply Rle_abs | auto]. }
    assert (Dn : ramp (ramps (map dneg v) ts h) b <= B).
    { apply at_kinks; [rewrite ramps_sum by (now rewrite map_length); rewrite sum_neg; lra | exact Bp|]. intros p I. apply ramps_in in I as (t & I & ->).
      rewrite ramps_neg. eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_Ropp. auto. }
    rewrite ramps_neg in Dn. assert (G : Rabs (ramp (ramps v ts h) b) <= B) by (apply Rabs_le; lra).
    apply Rle_trans with (B * sqrt (val A2)); [apply Rmult_le_compat_r; lra|]. unfold B, Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - rewrite (F eq_refl). pose proof (line_at_spec A2 left v ts dzero h ltac:(lra) L H) as G. rewrite val_zero in G. replace (- (0 * h)) with 0 in G by ring. exact G.
Qed.

(* --- beside a line --- *)

Lemma relu_moves s t : Rabs (relu s - relu t) <= Rabs (s - t).
Proof. unfold relu, Rmax. destruct (Rle_dec 0 s), (Rle_dec 0 t); unfold Rabs; repeat destruct (Rcase_abs _); lra. Qed.
Lemma abs_dot z u : Rabs (dot z u) <= norm z * norm u.
Proof.
  apply Rabs_le. pose proof (dot_norm z u). pose proof (dot_norm (times (-1) z) u) as X. rewrite dot_times in X.
  replace (norm (times (-1) z)) with (norm z) in X; [lra|]. unfold norm. rewrite dot_times, dot_times_r. f_equal. ring.
Qed.
Lemma miss_spec a v ts xs u b : length ts = length xs ->
  Rabs (gain (paired v xs) u b - ramp (ramps v ts (dot (vals a) u)) b) <= val (miss_along a v ts xs) * norm u.
Proof.
  unfold gain, ramp, ramps, paired, miss_along. rewrite val_sum. revert v ts.
  induction xs as [|x xs IH]; intros [|c v] [|t ts] L; try discriminate; try (simpl; rewrite Rminus_0_r, Rabs_R0; lra).
  specialize (IH v ts ltac:(simpl in L; lia)).
  assert (G : Rabs (val c * relu (dot (vals x) u + b) - val c * relu (val t * dot (vals a) u + b)) <=
              val (dmul (dabs c) (dsqrt_up (ddot (less x (dtimes t a)) (less x (dtimes t a))))) * norm u).
  { replace (val c * relu (dot (vals x) u + b) - val c * relu (val t * dot (vals a) u + b)) with (val c * (relu (dot (vals x) u + b) - relu (val t * dot (vals a) u + b))) by ring.
    rewrite Rabs_mult, val_mul, val_abs, Rmult_assoc. apply Rmult_le_compat_l; [apply Rabs_pos|].
    eapply Rle_trans; [apply relu_moves|]. set (z := less x (dtimes t a)).
    replace (dot (vals x) u + b - (val t * dot (vals a) u + b)) with (dot (vals z) u) by (unfold z, less; rewrite vals_plus, !vals_times, val_int, dot_plus, !dot_times; ring).
    eapply Rle_trans; [apply abs_dot|]. apply Rmult_le_compat_r; [apply norm_nonneg | apply dnorm_spec]. }
  assert (Sp : forall p q s1 s2 e m n, Rabs (p - q) <= e * n -> Rabs (s1 - s2) <= m * n -> Rabs (p + s1 - (q + s2)) <= (e + m) * n).
  { intros p q s1 s2 e m n X Y. replace (p + s1 - (q + s2)) with ((p - q) + (s1 - s2)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
  exact (Sp _ _ _ _ _ _ _ G IH).
Qed.

Theorem exact_ok_spec free d along xs v P : exact_ok free d along xs v P = true ->
  forall u b, List.length u = d -> (free = false -> b = 0) -> Rabs (gain (paired v xs) u b) <= val P * norm u.
Proof.
  intros H u b U F. unfold exact_ok in H. destruct along as [(a, ts)|].
  - rewrite !andb_true_iff, Nat.eqb_eq, dlt_spec, val_zero in H. destruct H as ((L & A) & H).
    pose proof (line_ok_spec free (ddot a a) _ v ts (dot (vals a) u) b A H F) as G. rewrite val_sub, val_dot in G. fold (norm (vals a)) in G.
    rewrite val_dot in A. assert (Np : 0 < norm (vals a)) by (now apply sqrt_lt_R0). pose proof (miss_spec a v ts xs u b L) as M. set (m := val (miss_along a v ts xs)) in *.
    assert (Lp : 0 <= val P - m). { unfold line_ok in H. apply andb_true_iff in H as (H & _). rewrite dle_spec, val_zero, val_sub in H. exact H. }
    assert (K : Rabs (ramp (ramps v ts (dot (vals a) u)) b) <= (val P - m) * norm u).
    { apply Rmult_le_reg_r with (norm (vals a)); [exact Np|]. eapply Rle_trans; [exact G|]. pose proof (abs_dot (vals a) u).
      replace ((val P - m) * norm u * norm (vals a)) with ((val P - m) * (norm (vals a) * norm u)) by ring. now apply Rmult_le_compat_l. }
    replace (gain (paired v xs) u b) with (gain (paired v xs) u b - ramp (ramps v ts (dot (vals a) u)) b + ramp (ramps v ts (dot (vals a) u)) b) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra.
  - destruct d as [|[|[|]]]; try discriminate.
    + destruct u as [|h [|]]; try discriminate. pose proof (line_ok_spec free done P v _ h b ltac:(rewrite val_one; lra) H F) as G. rewrite val_one, sqrt_1, Rmult_1_r in G.
      replace (norm [h]) with (Rabs h) by (unfold norm; simpl; rewrite Rplus_0_r; symmetry; apply sqrt_Rsqr_abs).
      replace (gain (paired v xs) [h] b) with (ramp (ramps v (map (fun x => nth 0 x dzero) xs) h) b); [exact G|].
      unfold gain, ramp, ramps, paired. clear. revert v. induction xs as [|x xs IH]; intros [|c v]; simpl; auto. fold (vals v). rewrite IH. f_equal. f_equal. f_equal. f_equal.
      destruct x as [|p x]; simpl; [rewrite val_zero; ring|]. fold (vals x). rewrite dot_nil_r. ring.
    + destruct free.
      * rewrite !andb_true_iff, dle_spec, deq_spec, val_zero, Nat.eqb_eq, forallb_forall in H. destruct H as (((Pp & Z) & N) & H).
        assert (K : forall x, In x xs -> priced false 2 (paired v (map (fun y => less y x) xs)) (val P) /\ priced false 2 (paired (map dneg v) (map (fun y => less y x) xs)) (val P)).
        { intros x I. split; intros w c W C; rewrite (C eq_refl); destruct (plane_ok_spec P v _ w (H x I) W) as (A & _).
          - eapply Rle_trans; [apply Rle_abs | exact A].
          - rewrite gain_neg. eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_Ropp. exact A. }
        pose proof (from_kinks 2 v xs (val P) N Z Pp (fun x I => proj1 (K x I)) u b U ltac:(discriminate)) as A.
        pose proof (from_kinks 2 (map dneg v) xs (val P) ltac:(now rewrite map_length) ltac:(rewrite sum_neg; lra) Pp (fun x I => proj2 (K x I)) u b U ltac:(discriminate)) as B.
        rewrite gain_neg in B. apply Rabs_le. lra.
      * rewrite (F eq_refl). now apply plane_ok_spec.
Qed.
