(* SPDX-License-Identifier: Apache-2.0 *)
(* Prices of several outputs in the positive orthant (docs/reference/certificate.md, Section 5): weights of the rows bound
   |sum_i relu(<x_i, u>) V_i| for all u at once. *)
From Coq Require Import ZArith Reals List Lra Lia Bool Psatz.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Prices.
Import ListNotations.
Open Scope R_scope.

(* --- one term at most the sum --- *)
Lemma term_sum {A} (f : A -> R) l a : In a l -> (forall b, In b l -> 0 <= f b) -> f a <= sum (map f l).
Proof.
  induction l as [|b l IH]; simpl; [tauto|]. intros [->|I] H.
  - pose proof (sum_nonneg f l (fun c C => H c (or_intror C))). lra.
  - pose proof (H b (or_introl eq_refl)). specialize (IH I (fun c C => H c (or_intror C))). lra.
Qed.

Section Weights.
  Variables (A : Type) (l : list A) (x V : A -> vec) (w : A -> R).
  Hypothesis w_pos : forall a, In a l -> 0 < w a.
  Definition mass (a : A) : R := sum (map (fun b => Rabs (dot (x a) (x b)) * w b) l).
  Definition share (a : A) : R := if Req_EM_T (mass a) 0 then 0 else / mass a.
  Lemma mass_nonneg a : 0 <= mass a.
  Proof. apply sum_nonneg. intros b I. pose proof (w_pos b I). pose proof (Rabs_pos (dot (x a) (x b))). nra. Qed.
  Lemma share_nonneg a : 0 <= share a.
  Proof.
    unfold share. destruct (Req_EM_T (mass a) 0) as [|N]; [lra|]. apply Rlt_le, Rinv_0_lt_compat. pose proof (mass_nonneg a). lra.
  Qed.
  Lemma share_mass a : share a * mass a <= 1.
  Proof. unfold share. destruct (Req_EM_T (mass a) 0) as [E|N]; [rewrite E; lra|]. right. now field. Qed.
  (* A row of no mass is 0. *)
  Lemma massless a u : In a l -> mass a = 0 -> dot (x a) u = 0.
  Proof.
    intros I E. apply dot_null. pose proof (term_sum (fun b => Rabs (dot (x a) (x b)) * w b) l a I) as T.
    fold (mass a) in T. rewrite E in T. pose proof (w_pos a I). pose proof (dot_self (x a)). pose proof (Rle_abs (dot (x a) (x a))).
    assert (Rabs (dot (x a) (x a)) * w a <= 0).
    { apply T. intros b B. pose proof (w_pos b B). pose proof (Rabs_pos (dot (x a) (x b))). nra. }
    nra.
  Qed.

  (* 2 t_a t_b <= t_a^2 g_b / g_a + t_b^2 g_a / g_b, summed with symmetric weights. *)
  Lemma young (M : A -> A -> R) (t : A -> R) : (forall a b, M a b = M b a) -> (forall a b, In a l -> In b l -> 0 <= M a b) ->
    (forall a, In a l -> mass a = 0 -> t a = 0) ->
    sum (map (fun a => sum (map (fun b => M a b * (t a * t b)) l)) l) <=
    sum (map (fun a => t a * t a * share a * sum (map (fun b => M a b * mass b) l)) l).
  Proof.
    intros S P Z. set (f := fun a b => M a b * (t a * t a * share a * mass b)).
    assert (E : sum (map (fun a => t a * t a * share a * sum (map (fun b => M a b * mass b) l)) l) = sum (map (fun a => sum (map (f a) l)) l)).
    { apply sum_ext. intros a _. rewrite <- sum_times. apply sum_ext. intros b _. unfold f. ring. }
    assert (D : sum (map (fun a => sum (map (fun b => M a b * (t a * t b)) l)) l) <= sum (map (fun a => sum (map (fun b => / 2 * f a b + / 2 * f b a) l)) l)).
    { apply sum_le. intros a I. apply sum_le. intros b J. unfold f. rewrite (S b a).
      replace (/ 2 * (M a b * (t a * t a * share a * mass b)) + / 2 * (M a b * (t b * t b * share b * mass a)))
        with (M a b * (/ 2 * (t a * t a * share a * mass b + t b * t b * share b * mass a))) by ring.
      apply Rmult_le_compat_l; [auto|]. pose proof (mass_nonneg a). pose proof (mass_nonneg b). pose proof (share_nonneg a). pose proof (share_nonneg b).
      assert (0 <= t a * t a) by nra. assert (0 <= t b * t b) by nra.
      assert (G : forall p q r, 0 <= p -> 0 <= q -> 0 <= r -> 0 <= p * q * r) by (intros; apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption).
      destruct (Req_dec (mass a) 0) as [Na|Na]; [rewrite (Z a I Na); pose proof (G (t b * t b) (share b) (mass a)); pose proof (G (0 * 0) (share a) (mass b)); nra|].
      destruct (Req_dec (mass b) 0) as [Nb|Nb]; [rewrite (Z b J Nb); pose proof (G (t a * t a) (share a) (mass b)); pose proof (G (0 * 0) (share b) (mass a)); nra|].
      unfold share. destruct (Req_EM_T (mass a) 0) as [|_]; [contradiction|]. destruct (Req_EM_T (mass b) 0) as [|_]; [contradiction|].
      set (p := mass a) in *. set (q := mass b) in *. assert (0 < p) by lra. assert (0 < q) by lra.
      assert (Q : / 2 * (t a * t a * / p * q + t b * t b * / q * p) - t a * t b = / 2 * / (p * q) * ((t a * q - t b * p) * (t a * q - t b * p))) by (field; lra).
      assert (0 <= / 2 * / (p * q) * ((t a * q - t b * p) * (t a * q - t b * p))).
      { apply Rmult_le_pos; [|apply Rle_0_sqr]. apply Rmult_le_pos; [lra|]. now apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat. }
      lra. }
    eapply Rle_trans; [exact D|]. rewrite E. right.
    rewrite (sum_ext _ (fun a => / 2 * sum (map (f a) l) + / 2 * sum (map (fun b => f b a) l))).
    2: { intros a _. now rewrite (sum_plus (fun b => / 2 * f a b)), (sum_times _ (f a)), (sum_times _ (fun b => f b a)). }
    rewrite (sum_plus (fun a => / 2 * sum (map (f a) l))), (sum_times _ (fun a => sum (map (f a) l))), (sum_times _ (fun a => sum (map (fun b => f b a) l))).
    rewrite <- (sum_swap f l l). field.
  Qed.
  Lemma square_total (c : A -> R) (y : A -> vec) :
    dot (total (map (fun a => times (c a) (y a)) l)) (total (map (fun a => times (c a) (y a)) l)) =
    sum (map (fun a => sum (map (fun b => dot (y a) (y b) * (c a * c b)) l)) l).
  Proof.
    rewrite dot_total, map_map. apply sum_ext. intros a _. rewrite dot_total_r, map_map. apply sum_ext. intros b _.
    rewrite dot_times, dot_times_r. ring.
  Qed.

  (* sum_i <x_i, u>^2 w_i / g_i <= |u|^2. *)
  Lemma projections u : sum (map (fun a => dot (x a) u * dot (x a) u * (w a * share a)) l) <= dot u u.
  Proof.
    set (z := fun a => dot (x a) u). set (c := fun a => w a * share a). set (S := sum _).
    assert (Cp : forall a, In a l -> 0 <= c a) by (intros a I; unfold c; pose proof (w_pos a I); pose proof (share_nonneg a); nra).
    assert (S0 : 0 <= S) by (apply sum_nonneg; intros a I; apply Rmult_le_pos; [apply Rle_0_sqr | exact (Cp a I)]).
    set (B := total (map (fun a => times (c a * z a) (x a)) l)).
    assert (E : dot B u = S).
    { unfold B, S. rewrite dot_total, map_map. apply sum_ext. intros a _. rewrite dot_times. unfold c, z. ring. }
    assert (H : dot B B <= S).
    { unfold B. rewrite square_total.
      apply Rle_trans with (sum (map (fun a => sum (map (fun b => c a * c b * Rabs (dot (x a) (x b)) * (Rabs (z a) * Rabs (z b))) l)) l)).
      { apply sum_le. intros a I. apply sum_le. intros b J. pose proof (Cp a I). pose proof (Cp b J).
        replace (dot (x a) (x b) * (c a * z a * (c b * z b))) with (c a * c b * (dot (x a) (x b) * (z a * z b))) by ring.
        replace (c a * c b * Rabs (dot (x a) (x b)) * (Rabs (z a) * Rabs (z b))) with (c a * c b * (Rabs (dot (x a) (x b)) * (Rabs (z a) * Rabs (z b)))) by ring.
        apply Rmult_le_compat_l; [now apply Rmult_le_pos|]. eapply Rle_trans; [apply Rle_abs|]. rewrite !Rabs_mult. apply Rle_refl. }
      eapply Rle_trans; [apply young|].
      { intros a b. rewrite (dot_comm (x a)). ring. }
      { intros a b I J. apply Rmult_le_pos; [|apply Rabs_pos]. apply Rmult_le_pos; auto. }
      { intros a I M. unfold z. rewrite massless by assumption. apply Rabs_R0. }
      unfold S. apply sum_le. intros a I. fold (z a).
      replace (Rabs (z a) * Rabs (z a)) with (z a * z a) by (rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq; nra).
      rewrite (Rmult_assoc (z a * z a)). apply Rmult_le_compat_l; [nra|]. fold (c a).
      apply Rle_trans with (share a * (c a * mass a)).
      { apply Rmult_le_compat_l; [apply share_nonneg|]. unfold mass at 2. rewrite <- sum_times. apply sum_le. intros b J.
        replace (c a * c b * Rabs (dot (x a) (x b)) * mass b) with (c a * Rabs (dot (x a) (x b)) * (w b * (share b * mass b))) by (unfold c; ring).
        replace (c a * (Rabs (dot (x a) (x b)) * w b)) with (c a * Rabs (dot (x a) (x b)) * (w b * 1)) by ring.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; [auto | apply Rabs_pos]|]. apply Rmult_le_compat_l; [apply Rlt_le; auto | apply share_mass]. }
      replace (share a * (c a * mass a)) with (c a * (share a * mass a)) by ring. pose proof (share_mass a). pose proof (Cp a I). nra. }
    pose proof (cauchy_schwarz B u) as Q. rewrite E in Q. pose proof (dot_self u). destruct (Req_dec S 0); [lra|].
    apply Rmult_le_reg_l with S; [lra|]. nra.
  Qed.

  (* The price: squares s2 and e2 stand for s^2 and (N beta)^2. *)
  Variables s2 e2 : R.
  Hypothesis s2_nonneg : 0 <= s2.
  Hypothesis e2_nonneg : 0 <= e2.
  Hypothesis priced_rows : forall a, In a l -> s2 * sum (map (fun b => Rmax 0 (dot (V a) (V b)) * mass b) l) <= e2 * w a.
  Lemma orthant_price c u : s2 * Rsqr (sum (map (fun a => dot (V a) c * relu (dot (x a) u)) l)) <= e2 * (dot c c * dot u u).
  Proof.
    set (t := fun a => relu (dot (x a) u)). set (T := total (map (fun a => times (t a) (V a)) l)).
    assert (Tp : forall a, 0 <= t a) by (intro a; apply relu_nonneg).
    assert (E : sum (map (fun a => dot (V a) c * relu (dot (x a) u)) l) = dot T c).
    { unfold T. rewrite dot_total, map_map. apply sum_ext. intros a _. rewrite dot_times. fold (t a). ring. }
    assert (H : s2 * dot T T <= e2 * dot u u).
    { unfold T. rewrite square_total.
      apply Rle_trans with (s2 * sum (map (fun a => t a * t a * share a * sum (map (fun b => Rmax 0 (dot (V a) (V b)) * mass b) l)) l)).
      { apply Rmult_le_compat_l; [exact s2_nonneg|].
        eapply Rle_trans; [|apply young].
        - apply sum_le. intros a _. apply sum_le. intros b _. apply Rmult_le_compat_r; [apply Rmult_le_pos; apply Tp | apply Rmax_r].
        - intros a b. now rewrite dot_comm.
        - intros. apply Rmax_l.
        - intros a I M. unfold t. rewrite massless by assumption. unfold relu. apply Rmax_left. lra. }
      rewrite <- sum_times.
      apply Rle_trans with (sum (map (fun a => e2 * (dot (x a) u * dot (x a) u * (w a * share a))) l)).
      { apply sum_le. intros a I.
        replace (s2 * (t a * t a * share a * sum (map (fun b => Rmax 0 (dot (V a) (V b)) * mass b) l)))
          with (t a * t a * share a * (s2 * sum (map (fun b => Rmax 0 (dot (V a) (V b)) * mass b) l))) by ring.
        pose proof (share_nonneg a) as Q. pose proof (priced_rows a I) as Pa.
        assert (0 <= t a * t a * share a) by (pose proof (Tp a); apply Rmult_le_pos; nra).
        apply Rle_trans with (t a * t a * share a * (e2 * w a)); [now apply Rmult_le_compat_l|].
        replace (e2 * (dot (x a) u * dot (x a) u * (w a * share a))) with (dot (x a) u * dot (x a) u * (share a * (e2 * w a))) by ring.
        rewrite Rmult_assoc. apply Rmult_le_compat_r.
        - apply Rmult_le_pos; [exact Q|]. apply Rmult_le_pos; [exact e2_nonneg | apply Rlt_le; auto].
        - unfold t, relu, Rmax. destruct (Rle_dec 0 (dot (x a) u)); nra. }
      rewrite sum_times. apply Rmult_le_compat_l; [exact e2_nonneg | apply projections]. }
    rewrite E. unfold Rsqr. pose proof (cauchy_schwarz T c) as Q. pose proof (dot_self c).
    apply Rle_trans with (s2 * (dot T T * dot c c)); [now apply Rmult_le_compat_l|].
    replace (s2 * (dot T T * dot c c)) with (dot c c * (s2 * dot T T)) by ring.
    replace (e2 * (dot c c * dot u u)) with (dot c c * (e2 * dot u u)) by ring. now apply Rmult_le_compat_l.
  Qed.
End Weights.

(* --- the check --- *)
Definition held := ((list dyadic * list dyadic) * dyadic)%type. (* x_i, V_i, w_i *)
Definition dmass (l : list held) (x : list dyadic) : dyadic := dsum (map (fun b : held => dmul (dabs (ddot x (fst (fst b)))) (snd b)) l).
Definition orthant_ok (s edge : dyadic) (xs vs : list (list dyadic)) (w : list dyadic) : bool :=
  let l := combine (combine xs vs) w in
  let masses := map (fun a : held => dmass l (fst (fst a))) l in
  let s2 := dmul s s in
  let e2 := dmul edge edge in
  Nat.eqb (length w) (length xs) && forallb (fun t => dlt dzero t) w &&
  forallb (fun a : held => dle (dmul s2 (dsum (map (fun b : held * dyadic => dmul (dmax dzero (ddot (snd (fst a)) (snd (fst (fst b))))) (snd b)) (combine l masses))))
                               (dmul e2 (snd a))) l.
Lemma dmass_spec l x : val (dmass l x) = sum (map (fun b : held => Rabs (dot (vals x) (vals (fst (fst b)))) * val (snd b)) l).
Proof. unfold dmass. rewrite val_sum. unfold vals at 1. rewrite map_map. apply sum_ext. intros b _. now rewrite val_mul, val_abs, val_dot. Qed.
Lemma combine_self {A B} (f : A -> B) l : combine l (map f l) = map (fun a => (a, f a)) l.
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.
Lemma combined_gain c u : forall (xs vs : list (list dyadic)) (w : list dyadic), length w = length xs ->
  gain (combine (map (fun v => dot (vals v) c) vs) (map vals xs)) u 0 =
  sum (map (fun a : held => dot (vals (snd (fst a))) c * relu (dot (vals (fst (fst a))) u)) (combine (combine xs vs) w)).
Proof.
  unfold gain. induction xs as [|x xs IH]; intros [|v vs] [|t w] L; simpl in *; try discriminate; try reflexivity.
  rewrite Rplus_0_r, (IH vs w) by congruence. reflexivity.
Qed.
Lemma orthant_ok_spec s edge xs vs w : orthant_ok s edge xs vs w = true -> 0 <= val s -> 0 <= val edge -> forall c u,
  val s * gain (combine (map (fun v => dot (vals v) c) vs) (map vals xs)) u 0 <= val edge * (norm c * norm u).
Proof.
  intros H S E c u. unfold orthant_ok in H. rewrite !andb_true_iff, Nat.eqb_eq, !forallb_forall in H. destruct H as ((L & W) & P).
  rewrite (combined_gain c u xs vs w L). set (l := combine (combine xs vs) w) in *.
  apply square_le; [apply Rmult_le_pos; [exact E | apply Rmult_le_pos; apply norm_nonneg]|].
  replace (val edge * (norm c * norm u) * (val edge * (norm c * norm u))) with (val edge * val edge * (norm c * norm c * (norm u * norm u))) by ring.
  rewrite !norm_square. set (G := sum _). replace (val s * G * (val s * G)) with (val s * val s * Rsqr G) by (unfold Rsqr; ring).
  apply (orthant_price held l (fun a => vals (fst (fst a))) (fun a => vals (snd (fst a))) (fun a => val (snd a))); try nra.
  - intros (p, t) I. apply in_combine_r in I. specialize (W t I). now rewrite dlt_spec, val_zero in W.
  - intros a I. specialize (P a I). rewrite dle_spec, !val_mul, val_sum, combine_self in P. unfold vals at 1 in P. rewrite !map_map in P.
    eapply Rle_trans; [|exact P]. right. f_equal. apply sum_ext. intros b _. simpl. now rewrite val_mul, val_max, val_zero, val_dot, dmass_spec.
Qed.
