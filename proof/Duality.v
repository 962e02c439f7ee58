(* SPDX-License-Identifier: Apache-2.0 *)
(* Weak duality (docs/reference/certificate.md, Section 3): Fenchel's inequality for each loss, and prices of networks. *)
From Coq Require Import Reals List Lra Lia Psatz.
From Fathom Require Import Numbers Statement Linear Logs.
Import ListNotations.
Open Scope R_scope.

(* --- Fenchel: c l(f, y) >= D - <w, f> --- *)

Lemma fenchel_squared c f y w : 0 < c -> dot y w - dot w w / (2 * c) - dot w f <= c * loss_at Squared f y.
Proof.
  intro C. simpl. set (m := plus f (times (-1) y)).
  assert (E : dot w f = dot w y + dot w m). { unfold m. rewrite dot_plus_r, dot_times_r. ring. }
  pose proof (dot_self (plus (times c m) w)) as H. rewrite !dot_plus, !dot_plus_r, !dot_times, !dot_times_r, (dot_comm m w) in H.
  rewrite E, (dot_comm y w). apply Rmult_le_reg_r with (2 * c); [lra|].
  replace ((dot w y - dot w w / (2 * c) - (dot w y + dot w m)) * (2 * c)) with (- dot w w - 2 * c * dot w m) by (field; lra). nra.
Qed.
Lemma dot_one w f : dot [w] f = w * entry f.
Proof. destruct f as [|a f]; unfold entry; simpl; [|destruct f]; ring. Qed.
Lemma fenchel_hinge c f y w : (y = 1 \/ y = -1) -> 0 <= y * w <= c -> y * w - dot [w] f <= c * loss_at Hinge f [y].
Proof.
  intros Y W. unfold loss_at. rewrite !dot_one. set (t := entry f).
  assert (w * t = y * w * (y * t)) by (destruct Y; subst y; ring).
  pose proof (Rmax_l 0 (1 - y * t)). pose proof (Rmax_r 0 (1 - y * t)). set (M := Rmax 0 (1 - y * t)) in *.
  assert (0 <= y * w * (M - (1 - y * t))) by (apply Rmult_le_pos; lra). assert (0 <= (c - y * w) * M) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma fenchel_huber D c f y w : 0 < c -> - (c * val D) <= w <= c * val D ->
  entry y * w - w * w / (2 * c) - dot [w] f <= c * loss_at (Huber D) f y.
Proof.
  intros C W. unfold loss_at. rewrite dot_one. unfold huber. set (r := entry y - entry f).
  replace (entry y * w - w * w / (2 * c) - w * entry f) with (w * r - w * w / (2 * c)) by (unfold r; ring).
  apply Rmult_le_reg_r with (2 * c); [lra|].
  replace ((w * r - w * w / (2 * c)) * (2 * c)) with (2 * c * w * r - w * w) by (field; lra).
  destruct (Rle_dec (Rabs r) (val D)) as [A|A].
  - pose proof (pow2_ge_0 (c * r - w)). nra.
  - assert (0 <= val D) by nra. unfold Rabs in A |- *. pose proof (pow2_ge_0 (c * val D - w)). pose proof (pow2_ge_0 (c * val D + w)). destruct (Rcase_abs r).
    + assert (0 <= (c * val D + w) * (- r - val D)) by (apply Rmult_le_pos; lra). nra.
    + assert (0 <= (c * val D - w) * (r - val D)) by (apply Rmult_le_pos; lra). nra.
Qed.
Lemma fenchel_absolute c f y w : - c <= w <= c -> entry y * w - dot [w] f <= c * loss_at Absolute f y.
Proof.
  intro W. unfold loss_at. rewrite dot_one. unfold Rabs. destruct (Rcase_abs _); nra.
Qed.
Lemma fenchel_quantile T c f y w : c * (val T - 1) <= w <= c * val T -> 0 <= c -> entry y * w - dot [w] f <= c * loss_at (Quantile T) f y.
Proof.
  intros W C. unfold loss_at. rewrite dot_one. set (r := entry y - entry f).
  replace (entry y * w - w * entry f) with (w * r) by (unfold r; ring).
  pose proof (Rmax_l (val T * r) ((val T - 1) * r)). pose proof (Rmax_r (val T * r) ((val T - 1) * r)).
  destruct (Rle_dec 0 r); [apply Rle_trans with (c * (val T * r)) | apply Rle_trans with (c * ((val T - 1) * r))]; nra.
Qed.
Lemma fenchel_equality r f y w : allowed (Equality r) f y ->
  dot y w - val r * sum (map Rabs w) - dot w f <= 0.
Proof.
  simpl. revert f y. induction w as [|a w IH]; intros f y H.
  - rewrite dot_nil_r. simpl. lra.
  - assert (G : dot (tl y) w - val r * sum (map Rabs w) - dot w (tl f) <= 0).
    { apply IH. intro k. pose proof (H (S k)) as K. destruct f, y; simpl in *; try exact K; rewrite ?nth_overflow in * by (simpl; lia); try exact K;
      destruct k; exact K. }
    assert (E : dot y (a :: w) = entry y * a + dot (tl y) w) by (unfold entry; destruct y; simpl; lra).
    assert (F : dot (a :: w) f = a * entry f + dot w (tl f)) by (unfold entry; destruct f; simpl; rewrite ?dot_nil_r; lra).
    rewrite E, F. simpl. pose proof (H O) as K. fold (entry f) (entry y) in K.
    assert (a * (entry y - entry f) <= Rabs a * val r).
    { apply Rle_trans with (Rabs (a * (entry y - entry f))); [apply Rle_abs|]. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
      now rewrite Rabs_minus_sym. }
    lra.
Qed.
Lemma fenchel_margin f y w : (y = 1 \/ y = -1) -> 0 <= y * w -> allowed Margin f [y] -> y * w - dot [w] f <= 0.
Proof.
  unfold allowed. rewrite !dot_one. intros Y W A. assert (w * entry f = y * w * (y * entry f)) by (destruct Y; subst y; ring). nra.
Qed.


Lemma seq_map (y : vec) : map (fun k => nth k y 0) (seq 0 (List.length y)) = y.
Proof. induction y as [|a y IH]; simpl; [reflexivity|]. rewrite <- seq_shift, map_map. simpl. now rewrite IH. Qed.
Lemma dot_seq a b : dot a b = sum (map (fun k => nth k a 0 * nth k b 0) (seq 0 (List.length a))).
Proof.
  revert b. induction a as [|p a IH]; intros b; simpl; [destruct b; reflexivity|].
  rewrite <- seq_shift, map_map. destruct b as [|q b].
  - rewrite (sum_ext _ (fun _ => 0)), sum_zero by (intros; simpl; ring). simpl. ring.
  - rewrite IH. reflexivity.
Qed.
Lemma seq_nonempty (y : vec) : sum y = 1 -> seq 0 (List.length y) <> [].
Proof. destruct y; simpl; [lra | discriminate]. Qed.
Lemma nth_nonneg (y : vec) k : (forall a, In a y -> 0 <= a) -> 0 <= nth k y 0.
Proof. intro P. destruct (Nat.lt_ge_cases k (List.length y)); [apply P; now apply nth_In | rewrite nth_overflow by assumption; lra]. Qed.
Lemma sum_part (y : vec) a : (forall b, In b y -> 0 <= b) -> In a y -> a <= sum y.
Proof.
  induction y as [|b y IH]; intros P I; [destruct I|]. simpl in *. assert (0 <= sum y) by (rewrite <- (map_id y); apply sum_nonneg; auto).
  destruct I as [->|I]; [lra|]. pose proof (IH (fun c C => P c (or_intror C)) I). pose proof (P b (or_introl eq_refl)). lra.
Qed.
(* Targets of softmax. *)
Definition shares (y : vec) : Prop := (forall a, In a y -> 0 <= a) /\ sum y = 1.
Lemma softmax_nonneg f y : shares y -> 0 <= loss_at Softmax f y.
Proof.
  intros (P & S). cbn [loss_at].
  pose proof (gibbs (fun k => nth k y 0) (fun k => nth k f 0) 1 (seq 0 (List.length y)) (seq_nonempty y S) ltac:(lra)) as G.
  specialize (G ltac:(intros; now apply nth_nonneg)). rewrite seq_map, <- dot_seq in G. specialize (G S).
  assert (0 <= sum (map (fun k => entropy 1 (nth k y 0)) (seq 0 (List.length y)))).
  { apply sum_nonneg. intros k K. apply entropy_nonneg. rewrite <- S. apply sum_part; auto. apply nth_In. apply in_seq in K. lia. }
  lra.
Qed.
Lemma fenchel_softmax c f y w : 0 < c -> shares y -> List.length w = List.length y -> (forall k, 0 <= c * nth k y 0 - nth k w 0) -> sum w = 0 ->
  sum (map (fun k => entropy c (c * nth k y 0 - nth k w 0)) (seq 0 (List.length y))) - dot w f <= c * loss_at Softmax f y.
Proof.
  intros C (P & S) L Z W. cbn [loss_at].
  pose proof (gibbs (fun k => c * nth k y 0 - nth k w 0) (fun k => nth k f 0) c (seq 0 (List.length y)) (seq_nonempty y S) C ltac:(intros; apply Z)) as G.
  rewrite (sum_ext (fun k => c * nth k y 0 - nth k w 0) (fun k => c * nth k y 0 + (-1) * nth k w 0)) in G by (intros; ring).
  rewrite sum_plus, !sum_times, seq_map, S, <- L, seq_map, W in G. specialize (G ltac:(ring)).
  rewrite (sum_ext (fun k => (c * nth k y 0 - nth k w 0) * nth k f 0) (fun k => c * (nth k y 0 * nth k f 0) + (-1) * (nth k w 0 * nth k f 0))) in G by (intros; ring).
  rewrite sum_plus, !sum_times, <- dot_seq, L, <- dot_seq in G. lra.
Qed.
Lemma fenchel_logistic c f y w : 0 < c -> (y = 1 \/ y = -1) -> 0 <= y * w <= c ->
  entropy c (y * w) + entropy c (c - y * w) - dot [w] f <= c * loss_at Logistic f [y].
Proof.
  intros C Y W. unfold loss_at. rewrite !dot_one. set (t := entry f).
  pose proof (gibbs (fun b : bool => if b then y * w else c - y * w) (fun b : bool => if b then - (y * t) else 0) c [true; false] ltac:(discriminate) C) as G.
  simpl in G. rewrite !Rplus_0_r, exp_0 in G.
  assert (w * t = y * w * (y * t)) by (destruct Y; subst y; ring).
  specialize (G ltac:(intros [] _; lra) ltac:(ring)). rewrite (Rplus_comm (exp _)) in G. lra.
Qed.

Lemma huber_nonneg D r : 0 <= D -> 0 <= huber D r.
Proof. intro H. unfold huber. destruct (Rle_dec (Rabs r) D); [nra|]. pose proof (Rabs_pos r). nra. Qed.
(* Parameters and targets that a loss is made for. *)
Definition sensible (l : loss) (y : vec) : Prop := match l with Huber D => 0 <= val D | Quantile T => 0 <= val T <= 1 | Softmax => shares y | _ => True end.
Lemma loss_nonneg l f y : sensible l y -> 0 <= loss_at l f y.
Proof.
  destruct l; cbn [sensible loss_at]; intro H.
  - pose proof (dot_self (plus f (times (-1) y))). lra.
  - apply Rmax_l.
  - now apply huber_nonneg.
  - apply Rabs_pos.
  - set (r := entry y - entry f). pose proof (Rmax_l (val T * r) ((val T - 1) * r)). pose proof (Rmax_r (val T * r) ((val T - 1) * r)). destruct (Rle_dec 0 r); nra.
  - lra.
  - lra.
  - rewrite <- ln_1. pose proof (exp_pos (- dot y f)). apply Rlt_le, ln_increasing; lra.
  - apply softmax_nonneg. exact H.
Qed.

(* --- weak duality --- *)

(* D is the sum of the terms, W that of <w_i, f_i>, which no unit of penalty makes larger than N beta. *)
Theorem weak_duality P f size D W : 0 < divisor P ->
  D - W <= sum (map (fun r => weight r * loss_at (loss_of P) (f r) (target r)) (data P)) ->
  W <= divisor P * beta P * size -> D / divisor P <= objective P f size.
Proof.
  intros N S B. unfold objective. apply Rmult_le_reg_r with (divisor P); [assumption|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite Rmult_plus_distr_r, Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.
Lemma objective_nonneg P f size : 0 < divisor P -> 0 <= beta P -> 0 <= size -> (forall r, In r (data P) -> sensible (loss_of P) (target r)) ->
  (forall r, In r (data P) -> 0 <= weight r) -> 0 <= objective P f size.
Proof.
  intros N B S L W. unfold objective. apply Rplus_le_le_0_compat; [|now apply Rmult_le_pos].
  apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra]. apply sum_nonneg. intros r I. apply Rmult_le_pos; [auto | apply loss_nonneg; auto].
Qed.
Lemma penalty_nonneg f : 0 <= penalty f.
Proof. apply sum_nonneg. intros j _. apply Rmult_le_pos; apply norm_nonneg. Qed.
Lemma gated_penalty_nonneg f : 0 <= gated_penalty f.
Proof. apply sum_nonneg. intros j _. apply sqrt_pos. Qed.

(* --- prices: ReLU networks without biases whose neurons feed one output each --- *)

Lemma feeds_one_tail a w : feeds_one (a :: w) -> feeds_one w.
Proof. intros H k l K L. specialize (H (S k) (S l) K L). lia. Qed.
Lemma all_zero w v : (forall k, nth k w 0 = 0) -> dot v w = 0.
Proof.
  revert v. induction w as [|a w IH]; intros v H; [apply dot_nil_r|]. destruct v as [|b v]; [reflexivity|]. simpl.
  pose proof (H O) as A. simpl in A. rewrite A, IH by (intro k; apply (H (S k))). ring.
Qed.
Lemma feeds_one_spec w : feeds_one w -> exists k, (forall v, dot v w = nth k v 0 * nth k w 0) /\ ((k < List.length w)%nat \/ w = []).
Proof.
  induction w as [|a w IH]; intro H; [exists O; split; [intro v; rewrite dot_nil_r; simpl; ring | now right]|].
  destruct (Req_dec a 0) as [->|N].
  - destruct (IH (feeds_one_tail _ _ H)) as (k & D & L). destruct L as [L | ->].
    + exists (S k). split; [|left; simpl; lia]. intros [|b v]; simpl; [ring | rewrite D; ring].
    + exists O. split; [intros [|b v]; simpl; rewrite ?dot_nil_r; ring | left; simpl; lia].
  - exists O. split; [|left; simpl; lia]. intros [|b v]; simpl; [ring|]. rewrite all_zero; [ring|].
    intro k. destruct (Req_dec (nth k w 0) 0) as [E|E]; [exact E|]. specialize (H O (S k) N E). discriminate.
Qed.
Lemma price_relu f (dual : list (row * vec)) B : unbiased false f -> (forall j, In j (neurons f) -> feeds_one (outer j)) ->
  (forall j k, In j (neurons f) -> (k < List.length (outer j))%nat ->
     Rabs (sum (map (fun p : row * vec => nth k (snd p) 0 * relu (dot (point (fst p)) (inner j))) dual)) <= B * norm (inner j)) ->
  sum (map (fun p : row * vec => dot (snd p) (output f (fst p))) dual) <= B * penalty f.
Proof.
  intros [H|[C S]] One G; [discriminate|].
  rewrite (sum_ext _ (fun p : row * vec => sum (map (fun j => relu (dot (point (fst p)) (inner j)) * dot (snd p) (outer j)) (neurons f)))).
  2: { intros p _. unfold output. rewrite C. simpl plus. rewrite dot_total_r, map_map. apply sum_ext. intros j J.
       rewrite (S j J), Rplus_0_r, dot_times_r, (dot_comm (inner j)). ring. }
  rewrite sum_swap. unfold penalty. rewrite <- sum_times. apply sum_le. intros j J.
  destruct (feeds_one_spec _ (One j J)) as (k & D & L). set (a := nth k (outer j) 0).
  rewrite (sum_ext _ (fun p : row * vec => a * (nth k (snd p) 0 * relu (dot (point (fst p)) (inner j))))) by (intros p _; rewrite D; fold a; ring).
  rewrite sum_times. set (s := sum _).
  assert (N : norm (outer j) = Rabs a). { unfold norm. rewrite D. fold a. apply sqrt_Rsqr_abs. }
  rewrite N. destruct L as [L|E].
  - apply Rle_trans with (Rabs (a * s)); [apply Rle_abs|]. rewrite Rabs_mult.
    apply Rle_trans with (Rabs a * (B * norm (inner j))); [apply Rmult_le_compat_l; [apply Rabs_pos | exact (G j k J L)] | right; ring].
  - unfold a. rewrite E. destruct k; simpl; rewrite Rabs_R0; right; ring.
Qed.

(* Within the cone of a gate: a vector G with <G, u> >= sigma sum_i w_i relu(<x_i, u>). *)
Lemma in_cone_relu rows j u r : in_cone rows j u -> In r rows -> relu (dot (point r) u) = if opens r j then dot (point r) u else 0.
Proof. intros C I. pose proof (C r I) as H. unfold relu. destruct (opens r j); [apply Rmax_right | apply Rmax_left]; lra. Qed.

(* --- prices: gated networks --- *)

Lemma dot_map {A} (f g : A -> R) l : dot (map f l) (map g l) = sum (map (fun a => f a * g a) l).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma sum_cauchy {A} (f g : A -> vec) l : sum (map (fun a => dot (f a) (g a)) l) <=
  sqrt (sum (map (fun a => dot (f a) (f a)) l)) * sqrt (sum (map (fun a => dot (g a) (g a)) l)).
Proof.
  apply Rle_trans with (sum (map (fun a => norm (f a) * norm (g a)) l)); [apply sum_le; intros; apply dot_norm|].
  assert (Q : forall h : A -> vec, norm (map (fun a => norm (h a)) l) = sqrt (sum (map (fun a => dot (h a) (h a)) l))).
  { intro h. change (sqrt (dot (map (fun a => norm (h a)) l) (map (fun a => norm (h a)) l)) = sqrt (sum (map (fun a => dot (h a) (h a)) l))).
    rewrite dot_map. f_equal. apply sum_ext. intros. apply norm_square. }
  rewrite <- dot_map, <- !Q. apply dot_norm.
Qed.
Lemma nth_sum {A} (f : A -> R) l d : sum (map f l) = sum (map (fun k => f (nth k l d)) (seq 0 (List.length l))).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. rewrite <- seq_shift, map_map, IH. reflexivity. Qed.

Lemma price_gated f (dual : list (row * vec)) B o m d free (G : nat -> nat -> vec) :
  gated_shaped o d m free f -> (forall p, In p dual -> List.length (snd p) = o) ->
  (forall k, (k < m)%nat -> sum (map (fun q => dot (G k q) (G k q)) (seq 0 o)) <= B * B) -> 0 <= B ->
  (forall k q u, (k < m)%nat -> dot (G k q) u = sum (map (fun p : row * vec => if opens (fst p) k then nth q (snd p) 0 * dot (point (fst p)) u else 0) dual)) ->
  (free = true -> forall q, sum (map (fun p : row * vec => nth q (snd p) 0) dual) = 0) ->
  sum (map (fun p : row * vec => dot (snd p) (gated_output f (fst p))) dual) <= B * gated_penalty f.
Proof.
  intros (C & _ & Sh) L W Bp E Z.
  assert (K : sum (map (fun p : row * vec => dot (snd p) (gated_constant f)) dual) = 0).
  { destruct C as [F|C].
    - rewrite (sum_ext _ (fun p : row * vec => sum (map (fun q => nth q (gated_constant f) 0 * nth q (snd p) 0) (seq 0 (List.length (gated_constant f)))))).
      2: { intros p _. now rewrite dot_comm, dot_seq. }
      rewrite sum_swap, (sum_ext _ (fun _ => 0)), sum_zero; auto. intros q _. rewrite sum_times, (Z F). ring.
    - rewrite C, (sum_ext _ (fun _ => 0)), sum_zero; auto. intros. apply dot_nil_r. }
  rewrite (sum_ext _ (fun p : row * vec => dot (snd p) (gated_constant f) + sum (map (fun j =>
     if opens (fst p) (gate j) then dot (snd p) (map (fun w => dot w (point (fst p))) (maps j)) else 0) (gated_neurons f)))).
  2: { intros p _. unfold gated_output. rewrite dot_plus_r, dot_total_r, map_map. f_equal. apply sum_ext. intros j _.
       destruct (opens (fst p) (gate j)); [reflexivity | apply dot_nil_r]. }
  rewrite sum_plus, K, Rplus_0_l, sum_swap. unfold gated_penalty. rewrite <- sum_times. apply sum_le. intros j J.
  destruct (Sh j J) as (Jm & Jo & _).
  rewrite (sum_ext _ (fun p : row * vec => sum (map (fun q => if opens (fst p) (gate j) then nth q (snd p) 0 * dot (point (fst p)) (nth q (maps j) []) else 0) (seq 0 o)))).
  2: { intros p I. destruct (opens (fst p) (gate j)); [|symmetry; apply sum_zero]. rewrite dot_seq, (L p I). apply sum_ext. intros q Q. apply in_seq in Q.
       f_equal. rewrite (nth_indep _ _ (dot [] (point (fst p)))) by (rewrite map_length; lia).
       rewrite (map_nth (fun w => dot w (point (fst p)))). apply dot_comm. }
  rewrite sum_swap.
  rewrite (sum_ext _ (fun q => dot (G (gate j) q) (nth q (maps j) []))) by (intros q _; symmetry; now apply E).
  eapply Rle_trans; [apply sum_cauchy|]. rewrite (nth_sum (fun w => dot w w) (maps j) []), Jo.
  rewrite Rmult_comm. rewrite (Rmult_comm B). apply Rmult_le_compat_l; [apply sqrt_pos|].
  rewrite <- (sqrt_square B) by assumption. apply sqrt_le_1_alt. auto.
Qed.
