(* SPDX-License-Identifier: Apache-2.0 *)
(* Symmetric matrices by their upper triangles, and a test that a form is nowhere negative: elimination in integers, without division
   but by common factors. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Statement Linear Vectors.
Import ListNotations.
Open Scope R_scope.

(* u'Mu, M given by rows of its upper triangle. *)
Fixpoint form (m : list (list R)) (u : vec) : R :=
  match m, u with
  | (p :: r) :: m, t :: u => p * t * t + 2 * t * dot r u + form m u
  | _, _ => 0
  end.

(* --- integers --- *)

Fixpoint row_minus (p t : Z) (b r : list Z) : list Z :=
  match b, r with x :: b, y :: r => (p * x - t * y)%Z :: row_minus p t b r | _, _ => [] end.
(* p M - r r' *)
Fixpoint eliminated (p : Z) (r : list Z) (m : list (list Z)) : list (list Z) :=
  match r, m with t :: rest, b :: m => row_minus p t b r :: eliminated p rest m | _, _ => [] end.
Definition divisible (c : Z) (m : list (list Z)) : bool := forallb (forallb (fun x => (x / c * c =? x)%Z)) m.
Definition reduced (c : Z) (m : list (list Z)) : list (list Z) :=
  if ((1 <? c)%Z && divisible c m)%bool then map (map (fun x => (x / c)%Z)) m else m.
(* Every row is as long as those below it and one more. *)
Fixpoint definite (fuel : list (list Z)) (before : Z) (m : list (list Z)) : bool :=
  match fuel, m with
  | _, [] => true
  | _ :: fuel, (p :: r) :: m => (0 <? p)%Z && Nat.eqb (length r) (length m) && definite fuel p (reduced before (eliminated p r m))
  | _, _ => false
  end.

Definition reals (m : list (list Z)) : list (list R) := map (map IZR) m.
Fixpoint triangle (m : list (list Z)) : Prop := match m with [] => True | b :: rest => length b = S (length rest) /\ triangle rest end.

Lemma row_minus_length p t b r : length b = length r -> length (row_minus p t b r) = length b.
Proof. revert r. induction b as [|x b IH]; intros [|y r] L; simpl in *; try discriminate; auto. Qed.
Lemma dot_row_minus p t b r u : length b = length r -> dot (map IZR (row_minus p t b r)) u = IZR p * dot (map IZR b) u - IZR t * dot (map IZR r) u.
Proof.
  revert r u. induction b as [|x b IH]; intros [|y r] [|q u] L; simpl in *; try discriminate; try lra.
  rewrite minus_IZR, !mult_IZR, IH by lia. lra.
Qed.
Lemma eliminated_length p m : forall r, length r = length m -> length (eliminated p r m) = length m.
Proof. induction m as [|b m IH]; intros [|t r] L; simpl in *; try discriminate; auto. Qed.
Lemma eliminated_triangle p m : forall r, length r = length m -> triangle m -> triangle (eliminated p r m).
Proof.
  induction m as [|b m IH]; intros [|t r] L T; cbn [eliminated triangle length] in *; try discriminate; auto. destruct T as (B & T). injection L as L. split; [|auto].
  rewrite row_minus_length by (simpl; lia). now rewrite eliminated_length.
Qed.
Lemma eliminated_form p m : forall r u, length r = length m -> triangle m ->
  form (reals (eliminated p r m)) u = IZR p * form (reals m) u - (if Nat.leb 1 (length m) then dot (map IZR r) u * dot (map IZR r) u else 0).
Proof.
  induction m as [|b m IH]; intros [|t r] u L T; cbn [eliminated triangle length] in *; try discriminate.
  - simpl. ring.
  - destruct T as (B & T). injection L as L. destruct b as [|x b]; [discriminate|]. injection B as B.
    destruct u as [|q u]; [simpl; ring|].
    cbn [row_minus reals map form Nat.leb dot]. rewrite minus_IZR, !mult_IZR, dot_row_minus by lia.
    fold (reals (eliminated p r m)). rewrite (IH r u L T). fold (reals m).
    destruct m as [|c m]; cbn [Nat.leb length] in *.
    + destruct r; [|discriminate]. destruct b; [|discriminate]. simpl. ring.
    + ring.
Qed.

Lemma reduced_triangle c m : triangle m -> triangle (reduced c m).
Proof.
  unfold reduced. destruct (_ && _)%bool; auto. induction m as [|b m IH]; simpl; auto. intros (B & T). rewrite !map_length. auto.
Qed.
Lemma dot_divided c b u : (1 < c)%Z -> forallb (fun x => (x / c * c =? x)%Z) b = true ->
  dot (map IZR b) u = IZR c * dot (map IZR (map (fun x => (x / c)%Z) b)) u.
Proof.
  intros C. revert u. induction b as [|x b IH]; intros [|q u] D; simpl in *; try lra.
  apply andb_true_iff in D as (D & E). apply Z.eqb_eq in D. rewrite (IH u E). rewrite <- D at 1. rewrite mult_IZR. ring.
Qed.
Lemma divided_form c m u : (1 < c)%Z -> divisible c m = true -> form (reals m) u = IZR c * form (reals (map (map (fun x => (x / c)%Z)) m)) u.
Proof.
  intros C. unfold divisible. revert u. induction m as [|b m IH]; intros u D; [simpl; ring|].
  cbn [forallb] in D. apply andb_true_iff in D as (B & D). destruct b as [|x b]; [destruct u; simpl; ring|]. destruct u as [|q u]; [simpl; ring|].
  cbn [forallb] in B. apply andb_true_iff in B as (X & B). apply Z.eqb_eq in X.
  cbn [reals map form]. fold (reals m). fold (reals (map (map (fun x => (x / c)%Z)) m)).
  rewrite (IH u D), (dot_divided c b u C B). rewrite <- X at 1. rewrite mult_IZR. ring.
Qed.
Lemma reduced_form c m u : 0 <= form (reals (reduced c m)) u -> 0 <= form (reals m) u.
Proof.
  unfold reduced. destruct (1 <? c)%Z eqn:C; [|auto]. destruct (divisible c m) eqn:D; [|auto]. simpl. apply Z.ltb_lt in C.
  intro H. rewrite (divided_form c m u C D). apply Rmult_le_pos; [|exact H]. apply IZR_le. lia.
Qed.

Lemma definite_spec fuel : forall before m, triangle m -> definite fuel before m = true -> forall u, 0 <= form (reals m) u.
Proof.
  induction fuel as [|f fuel IH]; intros before m T H u.
  - destruct m; [simpl; lra | discriminate].
  - destruct m as [|b m]; [simpl; lra|]. destruct b as [|p r]; [discriminate|]. cbn [definite] in H.
    rewrite !andb_true_iff, Z.ltb_lt, Nat.eqb_eq in H. destruct H as ((P & L) & H). destruct T as (_ & T).
    destruct u as [|q u]; [simpl; lra|]. cbn [reals map form]. fold (reals m).
    assert (Pr : 0 < IZR p) by (now apply IZR_lt).
    assert (G : 0 <= form (reals (eliminated p r m)) u).
    { apply reduced_form with (c := before). apply (IH p); auto. apply reduced_triangle. now apply eliminated_triangle. }
    rewrite (eliminated_form p m r u L T) in G. apply Rmult_le_reg_l with (IZR p); [assumption|]. rewrite Rmult_0_r.
    set (s := dot (map IZR r) u) in *. destruct m as [|c m]; cbn [Nat.leb length] in G.
    + destruct r; [|discriminate]. assert (s = 0) by (unfold s; destruct u; reflexivity). simpl form in *. rewrite H0. nra.
    + assert (0 <= (IZR p * q + s) * (IZR p * q + s)) by apply Rle_0_sqr. nra.
Qed.

(* --- dyadic triangles --- *)

Fixpoint outer_product (c : list dyadic) : list (list dyadic) := match c with [] => [] | x :: rest => dtimes x c :: outer_product rest end.
Fixpoint tri_plus (a b : list (list dyadic)) : list (list dyadic) :=
  match a, b with [], _ => b | _, [] => a | p :: a, q :: b => dplus p q :: tri_plus a b end.
Definition tri_times (t : dyadic) (a : list (list dyadic)) := map (dtimes t) a.
Fixpoint tri_diagonal (d : nat) (q : dyadic) : list (list dyadic) :=
  match d with O => [] | S k => (q :: repeat dzero k) :: tri_diagonal k q end.
Definition tri_vals (a : list (list dyadic)) : list (list R) := map vals a.
Fixpoint tri_shape (d : nat) (a : list (list dyadic)) : Prop :=
  match a, d with [], _ => True | b :: a, S k => length b = S k /\ tri_shape k a | _ :: _, O => False end.

Lemma dot_repeat_zero k u : dot (vals (repeat dzero k)) u = 0.
Proof. revert u. induction k as [|k IH]; intros [|q u]; simpl; auto. rewrite val_zero, IH. ring. Qed.
Lemma form_diagonal d q u : (length u <= d)%nat -> form (tri_vals (tri_diagonal d q)) u = val q * dot u u.
Proof.
  revert u. induction d as [|d IH]; intros [|t u] L; simpl in *; try lia; try ring. rewrite dot_repeat_zero, IH by lia. ring.
Qed.
Lemma form_outer c u : form (tri_vals (outer_product c)) u = dot (vals c) u * dot (vals c) u.
Proof.
  revert u. induction c as [|x c IH]; intros [|t u]; simpl; try ring. fold (tri_vals (outer_product c)). rewrite IH.
  change (map (dmul x) c) with (dtimes x c). rewrite val_mul. fold (vals (dtimes x c)). rewrite vals_times, dot_times. ring.
Qed.
Lemma form_times t a u : form (tri_vals (tri_times t a)) u = val t * form (tri_vals a) u.
Proof.
  revert u. induction a as [|b a IH]; intro u; simpl; [ring|]. destruct b as [|p r]; [simpl; ring|]. destruct u as [|q u]; [simpl; ring|].
  cbn [tri_vals map dtimes vals form]. fold (tri_vals a). change (map (dmul t) r) with (dtimes t r). fold (vals (dtimes t r)).
  change (map vals (tri_times t a)) with (tri_vals (tri_times t a)).
  rewrite vals_times, dot_times, val_mul. unfold tri_times in IH at 1. fold (tri_times t a) in IH. rewrite IH. fold (vals r). ring.
Qed.
Lemma form_plus d a b u : tri_shape d a -> tri_shape d b -> form (tri_vals (tri_plus a b)) u = form (tri_vals a) u + form (tri_vals b) u.
Proof.
  revert d b u. induction a as [|p a IH]; intros d b u A B; [simpl; ring|]. destruct b as [|q b]; [simpl; ring|].
  destruct d as [|d]; [destruct A|]. destruct A as (Lp & A), B as (Lq & B). destruct p as [|x p]; [discriminate|]. destruct q as [|y q]; [discriminate|].
  destruct u as [|t u]; [simpl; ring|]. cbn [tri_plus tri_vals map dplus vals form]. fold (tri_vals (tri_plus a b)) (tri_vals a) (tri_vals b).
  rewrite (IH d b u A B), val_add. fold (vals (dplus p q)) (vals p) (vals q). rewrite vals_plus, dot_plus. ring.
Qed.
Lemma shape_outer d c : length c = d -> tri_shape d (outer_product c).
Proof. revert d. induction c as [|x c IH]; intros [|d] L; simpl in *; try discriminate; auto. unfold dtimes. rewrite map_length. split; [lia|]. apply IH. lia. Qed.
Lemma shape_times d t a : tri_shape d a -> tri_shape d (tri_times t a).
Proof. revert d. induction a as [|b a IH]; intros [|d]; simpl; auto. unfold dtimes. rewrite map_length. intros (L & A). auto. Qed.
Lemma dplus_length a b : length a = length b -> length (dplus a b) = length a.
Proof. revert b. induction a as [|p a IH]; intros [|q b]; simpl; intro L; try discriminate; auto. Qed.
Lemma shape_plus d a b : tri_shape d a -> tri_shape d b -> tri_shape d (tri_plus a b).
Proof.
  revert d b. induction a as [|p a IH]; intros d b A B; [exact B|]. destruct b as [|q b]; [exact A|]. destruct d as [|d]; [destruct A|].
  destruct A as (P & A), B as (Q & B). cbn [tri_plus tri_shape]. rewrite dplus_length by lia. split; [exact P | auto].
Qed.
Lemma shape_diagonal d q : tri_shape d (tri_diagonal d q).
Proof. induction d as [|d IH]; simpl; auto. rewrite repeat_length. auto. Qed.

(* To integers, in units of 2^e: rounded down, and the diagonal less d for what that loses. *)
Definition floor_at (e : Z) (a : dyadic) : Z :=
  let k := (exponent a - e)%Z in if (0 <=? k)%Z then Z.shiftl (mantissa a) k else (mantissa a / 2 ^ (- k))%Z.
Definition lowered (d : Z) (b : list Z) : list Z := match b with p :: r => (p - d)%Z :: r | [] => [] end.
Definition on_grid (e d : Z) (a : list (list dyadic)) : list (list Z) := map (fun b => lowered d (map (floor_at e) b)) a.

Lemma floor_at_spec e a : exists t, 0 <= t <= 1 /\ val a = powerRZ 2 e * (IZR (floor_at e a) + t).
Proof.
  destruct a as [m f]. Transparent val. unfold val, floor_at. simpl. destruct (Z.leb_spec 0 (f - e)).
  - exists 0. split; [lra|]. rewrite shiftl_val by assumption. replace f with (e + (f - e))%Z at 1 by lia. rewrite pow2_add. ring.
  - set (k := (- (f - e))%Z). assert (K : (0 < k)%Z) by (unfold k; lia). assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
    exists (IZR (m mod 2 ^ k) / IZR (2 ^ k)). pose proof (Z.mod_pos_bound m (2 ^ k) P) as B. assert (Pr : 0 < IZR (2 ^ k)) by (now apply IZR_lt).
    split.
    + split; [apply Rmult_le_pos; [apply IZR_le; lia | apply Rlt_le, Rinv_0_lt_compat; lra]|].
      apply Rmult_le_reg_r with (IZR (2 ^ k)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply IZR_le. lia.
    + replace (IZR (m / 2 ^ k) + IZR (m mod 2 ^ k) / IZR (2 ^ k)) with (IZR m / IZR (2 ^ k)).
      2: { rewrite (Z.div_mod m (2 ^ k)) at 1 by lia. rewrite plus_IZR, mult_IZR. field. lra. }
      rewrite pow2_IZR by lia. replace e with (f + k)%Z by (unfold k; lia). rewrite pow2_add. field. pose proof (pow2_pos k). lra.
Qed.
Opaque val.

Definition spread (u : vec) : R := sum (map Rabs u).
Lemma spread_nonneg u : 0 <= spread u.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.
Lemma spread_square u : spread u * spread u <= INR (length u) * dot u u.
Proof.
  assert (E : spread u = dot (repeat 1 (length u)) (map Rabs u)).
  { unfold spread. induction u as [|t u IH]; simpl; [reflexivity|]. rewrite IH. ring. }
  rewrite E. eapply Rle_trans; [apply cauchy_schwarz|]. right. f_equal.
  - clear. induction u as [|t u IH]; [reflexivity|]. cbn [length repeat dot]. rewrite IH, S_INR. ring.
  - clear. induction u as [|t u IH]; simpl; [reflexivity|]. rewrite IH. f_equal. unfold Rabs. destruct (Rcase_abs t); ring.
Qed.
Lemma dot_floor e b u : exists s, Rabs s <= spread u /\ dot (vals b) u = powerRZ 2 e * (dot (map IZR (map (floor_at e) b)) u + s).
Proof.
  revert u. induction b as [|a b IH]; intro u.
  - exists 0. rewrite Rabs_R0. split; [apply spread_nonneg|]. simpl. ring.
  - destruct u as [|q u]; [exists 0; rewrite Rabs_R0; split; [apply spread_nonneg | simpl; ring]|].
    destruct (IH u) as (s & S & E). destruct (floor_at_spec e a) as (t & T & V).
    exists (t * q + s). split.
    + unfold spread in *. simpl. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq t) by lra. pose proof (Rabs_pos q). nra.
    + simpl. rewrite E, V. ring.
Qed.
Lemma form_floor e a u : exists s, - (spread u * spread u) <= s /\
  form (tri_vals a) u = powerRZ 2 e * (form (reals (map (map (floor_at e)) a)) u + s).
Proof.
  revert u. induction a as [|b a IH]; intro u.
  - exists 0. pose proof (spread_nonneg u). simpl. split; [nra | ring].
  - destruct b as [|p r].
    { exists 0. pose proof (spread_nonneg u). destruct u; simpl; (split; [nra | ring]). }
    destruct u as [|q u]; [exists 0; unfold spread; simpl; split; [lra | ring]|].
    destruct (IH u) as (s & S & E). destruct (dot_floor e r u) as (t & T & D). destruct (floor_at_spec e p) as (v & V & W).
    exists (v * q * q + 2 * q * t + s). split.
    + assert (- (Rabs q * spread u) <= q * t).
      { assert (Rabs (q * t) <= Rabs q * spread u) by (rewrite Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos | assumption]).
        pose proof (Rle_abs (- (q * t))). rewrite Rabs_Ropp in H0. lra. }
      unfold spread in *. cbn [map sum fold_right]. fold (sum (map Rabs u)). pose proof (Rabs_pos q).
      assert (0 <= v * q * q) by (rewrite Rmult_assoc; apply Rmult_le_pos; [lra | apply Rle_0_sqr]).
      assert (0 <= Rabs q * Rabs q) by (apply Rmult_le_pos; assumption). nra.
    + cbn [tri_vals map vals form reals]. fold (tri_vals a) (vals r). rewrite E, D, W. fold (reals (map (map (floor_at e)) a)). ring.
Qed.
Lemma form_lowered e k a : forall d u, tri_shape d a -> length a = d -> (length u <= d)%nat ->
  form (reals (map (map (floor_at e)) a)) u = form (reals (on_grid e k a)) u + IZR k * dot u u.
Proof.
  induction a as [|b a IH]; intros [|d] u S L U; simpl in L; try discriminate.
  - destruct u; [simpl; ring | simpl in U; lia].
  - destruct S as (B & S). injection L as L. destruct b as [|p r]; [discriminate|]. destruct u as [|q u]; [simpl; ring|].
    simpl in U. assert (X := IH d u S L ltac:(lia)). unfold on_grid, reals in *. cbn [map lowered form dot]. rewrite minus_IZR, X. ring.
Qed.

Definition tri_definite (e : Z) (d : nat) (a : list (list dyadic)) : bool :=
  let m := on_grid e (Z.of_nat d) a in definite m 1 m.
Lemma on_grid_triangle e k d a : tri_shape d a -> length a = d -> triangle (on_grid e k a).
Proof.
  revert d. induction a as [|b a IH]; intros [|d] S L; simpl in *; try discriminate; auto. destruct S as (B & S). injection L as L. split.
  - destruct b; [discriminate|]. unfold on_grid. simpl in *. rewrite !map_length. lia.
  - fold (on_grid e k a). eauto.
Qed.
Theorem tri_definite_spec e d a : tri_shape d a -> length a = d -> tri_definite e d a = true ->
  forall u, (length u <= d)%nat -> 0 <= form (tri_vals a) u.
Proof.
  intros S L H u U. unfold tri_definite in H. pose proof (definite_spec _ _ _ (on_grid_triangle e (Z.of_nat d) d a S L) H u) as G.
  destruct (form_floor e a u) as (s & Sp & E). rewrite E. pose proof (pow2_pos e).
  rewrite (form_lowered e (Z.of_nat d) a d u S L U).
  assert (spread u * spread u <= IZR (Z.of_nat d) * dot u u).
  { eapply Rle_trans; [apply spread_square|]. rewrite <- INR_IZR_INZ. apply Rmult_le_compat_r; [apply dot_self|]. now apply le_INR. }
  apply Rmult_le_pos; lra.
Qed.
