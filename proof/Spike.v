(* SPDX-License-Identifier: Apache-2.0 *)
(* Data that are spike-free (docs/explanation/geometry.md): of the rows other than 0 one of each ray is taken, R; vectors b_i in the span of R with
   <x_j, b_i> = D [i = j] and <b_i, b_j> <= 0 for i other than j show it. They are D (RR')^{-1} R, found by elimination in integers,
   of which nothing is proved: what they must satisfy is checked. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows.
Import ListNotations.

Definition same_ray (a b : list dyadic) : bool :=
  let ab := ddot a b in dlt dzero ab && deq (dmul ab ab) (dmul (ddot a a) (ddot b b)).
Fixpoint rays (l kept : list (list dyadic)) : list (list dyadic) :=
  match l with
  | [] => rev' kept
  | x :: l => if dnull x || existsb (same_ray x) kept then rays l kept else rays l (x :: kept)
  end.

(* Elimination without fractions below and above the pivots: of [K | I] it leaves [D I | D K^{-1}]; rows lose their first column each time. *)
Fixpoint zip_with (f : Z -> Z -> Z) (a b : list Z) : list Z :=
  match a, b with p :: a, q :: b => f p q :: zip_with f a b | _, _ => [] end.
Fixpoint jordan (fuel : nat) (before : Z) (above below : list (list Z)) : option (list (list Z)) :=
  match fuel, below with
  | _, [] => Some (rev' above)
  | S fuel, (p :: pivot) :: below =>
      let clear row := match row with a :: row => zip_with (fun x y => ((p * x - a * y) / before)%Z) row pivot | [] => [] end in
      if (p =? 0)%Z then None else jordan fuel p (pivot :: map clear above) (map clear below)
  | _, _ => None
  end.
Definition whole_rows (l : list (list dyadic)) : list (list Z) :=
  let lowest := fold_left (fun e x => fold_left (fun e a => Z.min e (exponent a)) x e) l 0%Z in
  map (map (fun a => Z.shiftl (mantissa a) (exponent a - lowest))) l.
Definition zdot (a b : list Z) : Z := fold_left Z.add (zip_with Z.mul a b) 0%Z.
Definition unit_row (m i : nat) : list Z := map (fun j => if Nat.eqb i j then 1%Z else 0%Z) (seq 0 m).
Definition reciprocals (R : list (list dyadic)) : option (list (list dyadic)) :=
  let m := length R in
  let w := whole_rows R in
  let start := map (fun p => (map (zdot (snd p)) w ++ unit_row m (fst p))%list) (combine (seq 0 m) w) in
  match jordan m 1 [] start with
  | Some G => Some (map (fun g => dtotal (map (fun p => dtimes (dint (fst p)) (snd p)) (combine g R))) G)
  | None => None
  end.

Definition at_row (l : list (list dyadic)) (i : nat) : list dyadic := nth i l [].
Definition reciprocal (D : dyadic) (R b : list (list dyadic)) : bool :=
  forallb (fun i => forallb (fun j => deq (ddot (at_row R i) (at_row b j)) (if Nat.eqb i j then D else dzero)) (seq 0 (length R))) (seq 0 (length R)).
Definition obtuse (m : nat) (b : list (list dyadic)) : bool :=
  forallb (fun i => forallb (fun j => Nat.eqb i j || dle (ddot (at_row b i) (at_row b j)) dzero) (seq 0 m)) (seq 0 m).
Definition check_spike_free (d : nat) (xs : list (list dyadic)) : bool :=
  let R := rays xs [] in
  Nat.leb (length R) d && forallb (fun x => dnull x || existsb (fun r => same_ray r x) R) xs &&
  match reciprocals R with
  | Some b => let D := match R, b with r :: _, q :: _ => ddot r q | _, _ => done end in
              dlt dzero D && reciprocal D R b && obtuse (length R) b
  | None => false
  end.

Open Scope R_scope.

Lemma sum_at (f : nat -> R) k : forall n m, (m <= k < m + n)%nat -> sum (map (fun j => if Nat.eqb k j then f j else 0) (seq m n)) = f k.
Proof.
  induction n as [|n IH]; intros m H; [lia|]. simpl. destruct (Nat.eqb k m) eqn:E.
  - apply Nat.eqb_eq in E. subst m. rewrite (sum_ext _ (fun _ => 0)), sum_zero; [ring|].
    intros j J. apply in_seq in J. destruct (Nat.eqb k j) eqn:Q; [apply Nat.eqb_eq in Q; lia | reflexivity].
  - apply Nat.eqb_neq in E. rewrite IH by lia. ring.
Qed.

Section Free.
  Variables (m : nat) (x b : nat -> vec) (D : R).
  Hypothesis Dp : 0 < D.
  Hypothesis dual : forall i j, (i < m)%nat -> (j < m)%nat -> dot (x i) (b j) = if Nat.eqb i j then D else 0.
  Hypothesis wide : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> dot (b i) (b j) <= 0.
  Hypothesis within : forall w, (forall i, (i < m)%nat -> dot (x i) w = 0) -> forall j, (j < m)%nat -> dot (b j) w = 0.
  Definition comb (f : nat -> R) : vec := total (map (fun i => times (f i) (b i)) (seq 0 m)).
  Lemma dot_comb f w : dot (comb f) w = sum (map (fun i => f i * dot (b i) w) (seq 0 m)).
  Proof. unfold comb. rewrite dot_total, map_map. apply sum_ext. intros i _. apply dot_times. Qed.
  Lemma comb_at f i : (i < m)%nat -> dot (x i) (comb f) = f i * D.
  Proof.
    intro I. rewrite dot_comm, dot_comb, (sum_ext _ (fun j => if Nat.eqb i j then f j * D else 0)).
    - apply (sum_at (fun j => f j * D)). lia.
    - intros j J. apply in_seq in J. rewrite (dot_comm (b j)), dual by lia. destruct (Nat.eqb i j); ring.
  Qed.
  Lemma apart f g : (forall i, 0 <= f i) -> (forall i, 0 <= g i) -> (forall i, f i * g i = 0) -> dot (comb f) (comb g) <= 0.
  Proof.
    intros F G Z. rewrite dot_comb, <- (sum_zero (seq 0 m)). apply sum_le. intros i I. apply in_seq in I.
    rewrite (dot_comm (b i)), dot_comb, <- sum_times, <- (sum_zero (seq 0 m)). apply sum_le. intros j J. apply in_seq in J.
    destruct (Nat.eq_dec i j) as [->|N].
    - right. replace (f j * (g j * dot (b j) (b j))) with (f j * g j * dot (b j) (b j)) by ring. rewrite Z. ring.
    - pose proof (wide j i ltac:(lia) ltac:(lia) ltac:(congruence)). pose proof (F i). pose proof (G j).
      assert (0 <= f i * g j) by (apply Rmult_le_pos; assumption). nra.
  Qed.
  Theorem spike_free_rays u : exists v, norm v <= norm u /\ forall i, (i < m)%nat -> dot (x i) v = relu (dot (x i) u).
  Proof.
    set (t := fun i => dot (x i) u). set (up := fun i => relu (t i) / D). set (down := fun i => relu (- t i) / D).
    exists (comb up). assert (Di : 0 < / D) by (now apply Rinv_0_lt_compat). split.
    2: { intros i I. rewrite comb_at by assumption. unfold up. fold (t i). field. lra. }
    set (p := comb (fun i => t i / D)). set (v := comb up). set (q := comb down).
    assert (Split : forall w, dot p w = dot v w - dot q w).
    { intro w. unfold p, v, q. rewrite !dot_comb.
      rewrite (sum_ext (fun i => t i / D * dot (b i) w) (fun i => up i * dot (b i) w + (-1) * (down i * dot (b i) w))).
      - rewrite sum_plus, sum_times. ring.
      - intros i _. unfold up, down. rewrite <- (relu_odd (t i)) at 1. unfold Rdiv. ring. }
    assert (X : dot v q <= 0).
    { apply apart; intro i; unfold up, down.
      - apply Rmult_le_pos; [apply relu_nonneg | lra].
      - apply Rmult_le_pos; [apply relu_nonneg | lra].
      - unfold relu, Rmax, Rdiv. destruct (Rle_dec 0 (t i)), (Rle_dec 0 (- t i)); try ring. replace (t i) with 0 by lra. ring. }
    assert (A : dot v v <= dot p p).
    { rewrite Split, (dot_comm v p), (dot_comm q p), !Split. pose proof (dot_self q). rewrite (dot_comm q v). lra. }
    assert (E : dot p p = dot p u).
    { assert (Z : dot p (plus u (times (-1) p)) = 0).
      { unfold p at 1. rewrite dot_comb, (sum_ext _ (fun _ => 0)), sum_zero; [reflexivity|]. intros j J. apply in_seq in J.
        rewrite within; [ring | | lia]. intros i I. rewrite dot_plus_r, dot_times_r. unfold p. rewrite comb_at by assumption. fold (t i). field. lra. }
      rewrite dot_plus_r, dot_times_r in Z. lra. }
    apply Rle_trans with (norm p); [unfold norm; apply sqrt_le_1_alt; exact A|].
    pose proof (dot_norm p u) as C. rewrite <- E, <- norm_square in C. pose proof (norm_nonneg p). pose proof (norm_nonneg u).
    destruct (Req_dec (norm p) 0) as [->|N]; [assumption|]. apply Rmult_le_reg_l with (norm p); lra.
  Qed.
End Free.

Lemma same_ray_spec a b u v : same_ray a b = true -> dot (vals a) v = relu (dot (vals a) u) -> dot (vals b) v = relu (dot (vals b) u).
Proof.
  unfold same_ray. rewrite andb_true_iff, dlt_spec, deq_spec, val_zero, !val_mul, !val_dot. intros (P & E) H.
  pose proof (dot_self (vals a)) as Q. assert (A : 0 < dot (vals a) (vals a)).
  { destruct (Req_dec (dot (vals a) (vals a)) 0) as [Z|]; [|lra]. rewrite (dot_null _ _ Z) in P. lra. }
  pose proof (parallel (vals a) (vals b) A E) as G. rewrite (G v), (G u), H. rewrite relu_scale; [reflexivity|].
  apply Rlt_le, Rdiv_lt_0_compat; assumption.
Qed.
Lemma reciprocals_within R b : reciprocals R = Some b -> forall w, (forall r, In r R -> dot (vals r) w = 0) -> forall q, In q b -> dot (vals q) w = 0.
Proof.
  unfold reciprocals. destruct (jordan _ _ _ _) as [G|]; [|discriminate]. intros [= <-] w H q Q. apply in_map_iff in Q as (g & <- & _).
  rewrite dot_dtotal, map_map, (sum_ext _ (fun _ => 0)), sum_zero; [reflexivity|]. intros (z, r) I. apply in_combine_r in I. simpl.
  rewrite vals_times, dot_times, (H r I). ring.
Qed.
Theorem check_spike_free_sound d0 g rows : check_spike_free d0 (map dpoint rows) = true ->
  forall free d, claim_holds free d g (real_rows g 0 rows) SpikeFree.
Proof.
  unfold check_spike_free. set (R := rays (map dpoint rows) []). rewrite !andb_true_iff, forallb_forall. intros ((_ & Cov) & H) free d u.
  destruct (reciprocals R) as [b|] eqn:B; [|discriminate]. set (D := match R with [] => done | _ => _ end) in H.
  rewrite !andb_true_iff, dlt_spec, val_zero in H. destruct H as ((Dp & Du) & Ob). unfold reciprocal, obtuse in *. rewrite forallb_forall in Du, Ob.
  destruct (spike_free_rays (length R) (fun i => vals (at_row R i)) (fun i => vals (at_row b i)) (val D) Dp) with (u := u) as (v & N & V).
  - intros i j I J. specialize (Du i ltac:(apply in_seq; lia)). rewrite forallb_forall in Du. specialize (Du j ltac:(apply in_seq; lia)).
    rewrite deq_spec, val_dot in Du. rewrite Du. destruct (Nat.eqb i j); [reflexivity | apply val_zero].
  - intros i j I J Ne. specialize (Ob i ltac:(apply in_seq; lia)). rewrite forallb_forall in Ob. specialize (Ob j ltac:(apply in_seq; lia)).
    rewrite orb_true_iff, Nat.eqb_eq, dle_spec, val_dot, val_zero in Ob. destruct Ob; [contradiction | assumption].
  - intros w W j J. unfold at_row. destruct (Nat.lt_ge_cases j (length b)) as [L|L]; [|rewrite nth_overflow by assumption; reflexivity].
    apply (reciprocals_within R b B w); [|now apply nth_In]. intros r I. apply In_nth with (d := []) in I as (i & I & <-). now apply W.
  - exists v. split; [exact N|]. intros r I. destruct (row_real_in g 0 rows r I) as (q & Q & (-> & _)).
    specialize (Cov (dpoint q) (in_map dpoint _ _ Q)). rewrite orb_true_iff in Cov. destruct Cov as [Z|E].
    + rewrite !(dnull_spec _ _ Z). unfold relu. now rewrite Rmax_left by lra.
    + apply existsb_exists in E as (a & A & S). apply In_nth with (d := []) in A as (i & I2 & <-).
      apply (same_ray_spec _ _ u v S). apply (V i I2).
Qed.
