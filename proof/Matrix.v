(* SPDX-License-Identifier: Apache-2.0 *)
(* Claims about the data matrix (docs/reference/certificate.md, Section 7): an empty cone, a spike. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows.
Import ListNotations.
Open Scope R_scope.

(* --- an empty cone [Motzkin] --- *)

Fixpoint turned (rows : list drow) (pattern : list bool) (l : list dyadic) : list (list dyadic) :=
  match rows, pattern, l with
  | r :: rows, s :: pattern, w :: l => dtimes (if s then w else dneg w) (dpoint r) :: turned rows pattern l
  | _, _, _ => []
  end.
Fixpoint marked (pattern : list bool) (l : list dyadic) : bool :=
  match pattern, l with s :: pattern, w :: l => (s && dlt dzero w) || marked pattern l | _, _ => false end.
Definition check_cone_empty (rows : list drow) (pattern : list bool) (l : list dyadic) : bool :=
  Nat.eqb (length rows) (length pattern) && Nat.eqb (length rows) (length l) &&
  forallb (fun w => dle dzero w) l && marked pattern l && dnull (dtotal (turned rows pattern l)).

Theorem check_cone_empty_sound g rows pattern l : check_cone_empty rows pattern l = true ->
  forall free d, claim_holds free d g (real_rows g 0 rows) (EmptyCone pattern).
Proof.
  unfold check_cone_empty. rewrite !andb_true_iff, !Nat.eqb_eq. intros ((((L1 & L2) & P) & M) & Z) free d (u & _ & H).
  pose proof (dnull_spec _ u Z) as D. rewrite dot_dtotal in D.
  cut (0 < sum (map (fun a => dot (vals a) u) (turned rows pattern l))); [lra|]. clear Z D.
  assert (G : forall rows pattern l i, length rows = length pattern -> length rows = length l -> forallb (fun w => dle dzero w) l = true ->
    (forall k r, nth_error (real_rows g i rows) k = Some r -> if nth k pattern false then 0 < dot (point r) u else dot (point r) u <= 0) ->
    0 <= sum (map (fun a => dot (vals a) u) (turned rows pattern l)) /\
    (marked pattern l = true -> 0 < sum (map (fun a => dot (vals a) u) (turned rows pattern l)))).
  { clear. induction rows as [|r rows IH]; intros [|s pattern] [|w l] i; simpl; try discriminate; intros L1 L2 P H.
    - split; [lra | discriminate].
    - apply andb_true_iff in P as [W P]. rewrite dle_spec, val_zero in W.
      destruct (IH pattern l (S i)) as [A B]; auto; try lia. { intros k q K. exact (H (S k) q K). }
      pose proof (H O _ eq_refl) as T. simpl in T. fold (vals (dpoint r)) in T.
      assert (E : 0 <= dot (vals (dtimes (if s then w else dneg w) (dpoint r))) u).
      { rewrite vals_times, dot_times. destruct s; rewrite ?val_neg; nra. }
      split; [lra|]. rewrite orb_true_iff, andb_true_iff, dlt_spec, val_zero.
      intros [(-> & W1)|K]; [|specialize (B K); lra]. rewrite vals_times, dot_times. nra. }
  destruct (G rows pattern l O) as [_ B]; auto.
Qed.

(* --- a spike --- *)

Fixpoint gained (rows : list drow) (u c : list dyadic) : dyadic :=
  match rows, c with
  | r :: rows, w :: c => dadd (dmul w (dmax dzero (ddot (dpoint r) u))) (gained rows u c)
  | _, _ => dzero
  end.
Fixpoint combined (rows : list drow) (c : list dyadic) : list (list dyadic) :=
  match rows, c with r :: rows, w :: c => dtimes w (dpoint r) :: combined rows c | _, _ => [] end.
(* What |v| over |u| is at least; None: there is no v. *)
Definition check_spike (rows : list drow) (u c : list dyadic) : option (option dyadic) :=
  let most := ddot (dtotal (combined rows c)) (dtotal (combined rows c)) in
  let bound := dmul most (ddot u u) in
  let g := gained rows u c in
  if dlt dzero g && dlt bound (dmul g g) then
    Some (if dlt dzero most then Some (double_down (ddiv_down g (dsqrt_up bound))) else None)
  else None.

Lemma gained_val g i u c : forall rows, val (gained rows u c) =
  sum (map (fun p => val (fst p) * relu (dot (point (snd p)) (vals u))) (combine c (real_rows g i rows))).
Proof.
  revert i. induction c as [|w c IH]; intros i [|r rows]; simpl; try apply val_zero.
  rewrite val_add, val_mul, val_max, val_zero, val_dot, (IH (S i)). reflexivity.
Qed.
Lemma combined_val g i c v : forall rows, dot (vals (dtotal (combined rows c))) v =
  sum (map (fun p => val (fst p) * dot (point (snd p)) v) (combine c (real_rows g i rows))).
Proof.
  intro rows. rewrite dot_dtotal. revert i rows. induction c as [|w c IH]; intros i [|r rows]; simpl; auto.
  now rewrite vals_times, dot_times, (IH (S i)).
Qed.

Theorem check_spike_sound g rows u c least : check_spike rows u c = Some least ->
  forall free d, claim_holds free d g (real_rows g 0 rows) (SpikeShown least).
Proof.
  unfold check_spike. set (t := dtotal (combined rows c)).
  destruct (dlt dzero (gained rows u c)) eqn:G; [|discriminate].
  destruct (dlt (dmul (ddot t t) (ddot u u)) _) eqn:B; [|discriminate]. simpl. intros [= E] free d.
  rewrite dlt_spec, val_zero in G. rewrite dlt_spec, !val_mul, !val_dot in B.
  exists (vals u). 
  assert (U : 0 < dot (vals u) (vals u)).
  { pose proof (dot_self (vals u)). destruct (Req_dec (dot (vals u) (vals u)) 0) as [Z|]; [|lra]. exfalso.
    rewrite (gained_val g 0), (sum_ext _ (fun _ => 0)), sum_zero in G; [lra|].
    intros p _. rewrite (dot_null_r _ _ Z). unfold relu. rewrite Rmax_left by lra. ring. }
  assert (N : 0 < norm (vals u)) by (now apply sqrt_lt_R0).
  split; auto. intros v V.
  assert (I : val (gained rows u c) = dot (vals t) v).
  { unfold t. rewrite (gained_val g 0), (combined_val g 0). apply sum_ext. intros [w r] J. apply in_combine_r in J. simpl. now rewrite V. }
  pose proof (dot_norm (vals t) v) as D. rewrite <- I in D.
  destruct (dlt dzero (ddot t t)) eqn:T; subst least.
  - rewrite dlt_spec, val_zero, val_dot in T.
    set (bound := dmul (ddot t t) (ddot u u)) in *.
    assert (Bv : val bound = norm (vals t) * norm (vals u) * (norm (vals t) * norm (vals u))).
    { unfold bound. rewrite val_mul, !val_dot, <- !norm_square. ring. }
    assert (NT : 0 < norm (vals t)) by (now apply sqrt_lt_R0).
    assert (S : norm (vals t) * norm (vals u) <= val (dsqrt_up bound)).
    { rewrite <- (sqrt_square (norm (vals t) * norm (vals u))) by nra. rewrite <- Bv. apply dsqrt_up_spec. rewrite Bv. nra. }
    assert (P : 0 < val (dsqrt_up bound)) by nra.
    pose proof (double_down_spec (ddiv_down (gained rows u c) (dsqrt_up bound))) as Q.
    pose proof (ddiv_down_spec (gained rows u c) _ P) as Q2.
    set (q := val (double_down _)) in *.
    assert (q * val (dsqrt_up bound) <= val (gained rows u c)).
    { apply Rle_trans with (val (gained rows u c) / val (dsqrt_up bound) * val (dsqrt_up bound)); [nra|]. right. field. lra. }
    destruct (Rle_dec q 0). { pose proof (norm_nonneg v). nra. }
    apply Rmult_le_reg_l with (norm (vals t)); auto. nra.
  - assert (Z : dot (vals t) (vals t) = 0).
    { pose proof (dot_self (vals t)). destruct (Req_dec (dot (vals t) (vals t)) 0); auto. exfalso.
      assert (dlt dzero (ddot t t) = true); [|congruence]. apply dlt_spec. rewrite val_zero, val_dot. lra. }
    rewrite (dot_null _ v Z) in I. lra.
Qed.
