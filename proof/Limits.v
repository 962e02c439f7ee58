(* SPDX-License-Identifier: Apache-2.0 *)
(* Limits of flows (docs/reference/certificate.md, Section 6): a network that is a KKT point of the largest margin, up to what is stated. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Train Margins.
Import ListNotations.

(* A neuron with its slopes at all rows. *)
Definition sloped := (dneuron * list dyadic)%type.
Definition dleaky (a t : dyadic) : dyadic := dmax t (dmul a t).
Definition doutput_signed (a : dyadic) (f : list sloped) (r : drow) : dyadic :=
  dmul (dentry (dtarget r)) (dsum (map (fun j : sloped => dmul (dentry (douter (fst j))) (dleaky a (ddot (dinner (fst j)) (dpoint r)))) f)).
Definition dforce (q : dyadic * drow) : dyadic := dmul (fst q) (dentry (dtarget (snd q))).
Definition left_of_inner (l : list dyadic) (rows : list drow) (j : sloped) : list dyadic :=
  dplus (dinner (fst j)) (dtimes (dneg (dentry (douter (fst j))))
    (dtotal_right (map (fun q : dyadic * drow * dyadic => dtimes (dmul (dforce (fst q)) (snd q)) (dpoint (snd (fst q)))) (combine (combine l rows) (snd j))))).
Definition left_of_outer (a : dyadic) (l : list dyadic) (rows : list drow) (j : sloped) : dyadic :=
  dsub (dentry (douter (fst j))) (dsum (map (fun q => dmul (dforce q) (dleaky a (ddot (dinner (fst j)) (dpoint (snd q))))) (combine l rows))).
Definition dsquares (both : bool) (f : list sloped) (u : sloped -> list dyadic) (w : sloped -> dyadic) : dyadic :=
  dsum (map (fun j => dadd (ddot (u j) (u j)) (if both then dmul (w j) (w j) else dzero)) f).

(* Slopes of neuron j at rows i, ..; listed ones, (j, i, c) in this order, are those of kinks. *)
Definition kink := (Z * Z * dyadic)%type.
Definition at_kink (a K : dyadic) (u x : list dyadic) (c : dyadic) : bool :=
  let h := ddot u x in dle a c && dle c done && dle (dmul h h) (dmul (dmul K K) (dmul (ddot u u) (ddot x x))).
Fixpoint slopes_of (a K : dyadic) (j i : Z) (u : list dyadic) (rows : list drow) (kinks : list kink) : option (list dyadic * list kink) :=
  match rows with
  | [] => Some ([], kinks)
  | r :: rows =>
      let plain := if dlt dzero (ddot u (dpoint r)) then done else a in
      let '(c, ok, rest) := match kinks with
                            | (j', i', c) :: rest => if Z.eqb j j' && Z.eqb i i' then (c, at_kink a K u (dpoint r) c, rest) else (plain, true, kinks)
                            | [] => (plain, true, [])
                            end in
      if ok then match slopes_of a K j (i + 1) u rows rest with Some (l, k) => Some (c :: l, k) | None => None end else None
  end.
Fixpoint all_slopes (a K : dyadic) (j : Z) (neurons : list dneuron) (rows : list drow) (kinks : list kink) : option (list sloped * list kink) :=
  match neurons with
  | [] => Some ([], kinks)
  | n :: neurons =>
      match slopes_of a K j 0 (dinner n) rows kinks with
      | Some (c, rest) => match all_slopes a K (j + 1) neurons rows rest with Some (f, k) => Some ((n, c) :: f, k) | None => None end
      | None => None
      end
  end.
Definition check_limit (both : bool) (a R_ S_ K : dyadic) (rows : list drow) (neurons : list dneuron) (l : list dyadic) (kinks : list kink) : option (dyadic * dyadic) :=
  match all_slopes a K 0 neurons rows kinks with
  | Some (f, []) =>
      let p := map (doutput_signed a f) rows in
      let m := least p in
      let size := dsquares both f (fun j => dinner (fst j)) (fun j => dentry (douter (fst j))) in
      let rest := dsquares both f (left_of_inner l rows) (left_of_outer a l rows) in
      let waste := dsum (map (fun q => dmul (fst q) (dsub (doutput_signed a f (snd q)) m)) (combine l rows)) in
      let root := dsqrt_up size in
      let below := ddiv_down size root in
      if dle dzero a && dlt a done && dle dzero R_ && dle dzero S_ && dle dzero K && signs rows && Nat.eqb (length l) (length rows) &&
         dlt dzero m && forallb (fun t => dle dzero t) l && dlt dzero (dsum l) && dle waste (dmul (dmul S_ m) (dsum l)) &&
         dlt dzero size && dlt dzero root && dlt dzero below && dle rest (dmul (dmul R_ R_) size)
      then Some (if both then (double_up (ddiv_up m size), double_down (ddiv_down m size)) else (double_up (ddiv_up m below), double_down (ddiv_down m root)))
      else None
  | _ => None
  end.

Open Scope R_scope.
Definition real_sloped (j : sloped) : neuron * list R := (real_neuron (fst j), vals (snd j)).
Lemma dleaky_spec a t : val (dleaky a t) = leaky (val a) (val t).
Proof. unfold dleaky, leaky. now rewrite val_max, val_mul. Qed.
Lemma combine_rows {A B} (V : A -> B) (F : dyadic * drow -> A) (G : R * row -> B) rows reals : Forall2 is_row rows reals ->
  (forall t q r, is_row q r -> V (F (t, q)) = G (val t, r)) -> forall l, map V (map F (combine l rows)) = map G (combine (vals l) reals).
Proof. intros H E. induction H as [|q r rows reals I H IH]; intros [|t l]; simpl; auto. now rewrite (E t q r I), IH. Qed.
Lemma combine_slopes {A B} (V : A -> B) (F : dyadic * drow * dyadic -> A) (G : R * row * R -> B) rows reals : Forall2 is_row rows reals ->
  (forall t q r c, is_row q r -> V (F (t, q, c)) = G (val t, r, val c)) -> forall l s,
  map V (map F (combine (combine l rows) s)) = map G (combine (combine (vals l) reals) (vals s)).
Proof. intros H E. induction H as [|q r rows reals I H IH]; intros [|t l] [|c s]; simpl; auto. now rewrite (E t q r c I), IH. Qed.
Local Transparent dmin.
Lemma least_in l : l <> [] -> In (least l) l.
Proof.
  assert (G : forall l a, In (fold_left dmin l a) (a :: l)).
  { clear. induction l as [|b l IH]; intro a; cbn [fold_left]; [now left|]. destruct (IH (dmin a b)) as [E|I]; [|right; now right].
    rewrite <- E. unfold dmin. destruct (dle a b); [now left | right; now left]. }
  destruct l as [|a l]; [congruence|]. intros _. apply G.
Qed.

Lemma slopes_spec a K j u rows reals : Forall2 is_row rows reals -> 0 <= val a < 1 -> 0 <= val K -> forall i kinks l k, slopes_of a K j i u rows kinks = Some (l, k) ->
  Forall2 (fun c r => slope_at (val a) (val K) (vals u) (point r) c) (vals l) reals.
Proof.
  intros F A Kp. induction F as [|q r rows reals (P & _) F IH]; intros i kinks l k H; simpl in H; [injection H as <- _; constructor|].
  assert (Plain : slope_at (val a) (val K) (vals u) (point r) (val (if dlt dzero (ddot u (dpoint q)) then done else a))).
  { rewrite P. unfold slope_at. rewrite <- val_dot. destruct (dlt dzero (ddot u (dpoint q))) eqn:E.
    - rewrite dlt_spec, val_zero in E. left. split; [exact E | apply val_one].
    - destruct (Req_dec (val (ddot u (dpoint q))) 0) as [Z|N].
      + right. right. rewrite Z, Rabs_R0. split; [apply Rmult_le_pos; [exact Kp | apply Rmult_le_pos; apply norm_nonneg] | lra].
      + right. left. split; [|reflexivity]. assert (~ 0 < val (ddot u (dpoint q))); [|lra]. intro G. assert (dlt dzero (ddot u (dpoint q)) = true); [|congruence]. now rewrite dlt_spec, val_zero. }
  assert (Kink : forall c, at_kink a K u (dpoint q) c = true -> slope_at (val a) (val K) (vals u) (point r) (val c)).
  { intros c C. unfold at_kink in C. rewrite !andb_true_iff, !dle_spec, !val_mul, !val_dot, val_one in C. destruct C as ((C1 & C2) & C3). right. right. split; [|lra].
    rewrite P. pose proof (norm_nonneg (vals u)). pose proof (norm_nonneg (vals (dpoint q))). assert (N : 0 <= norm (vals u) * norm (vals (dpoint q))) by (now apply Rmult_le_pos).
    apply square_le; [now apply Rmult_le_pos|]. rewrite <- Rabs_mult, Rabs_pos_eq by nra.
    replace (val K * (norm (vals u) * norm (vals (dpoint q))) * (val K * (norm (vals u) * norm (vals (dpoint q)))))
      with (val K * val K * (norm (vals u) * norm (vals u) * (norm (vals (dpoint q)) * norm (vals (dpoint q))))) by ring. now rewrite !norm_square. }
  destruct kinks as [|((j', i'), c) rest].
  - destruct (slopes_of a K j (i + 1) u rows []) as [(m, k')|] eqn:E; [|discriminate]. injection H as <- _. constructor; [exact Plain | eapply IH; eauto].
  - destruct (Z.eqb j j' && Z.eqb i i').
    + destruct (at_kink a K u (dpoint q) c) eqn:C; [|discriminate]. destruct (slopes_of a K j (i + 1) u rows rest) as [(m, k')|] eqn:E; [|discriminate].
      injection H as <- _. constructor; [now apply Kink | eapply IH; eauto].
    + destruct (slopes_of a K j (i + 1) u rows _) as [(m, k')|] eqn:E; [|discriminate]. injection H as <- _. constructor; [exact Plain | eapply IH; eauto].
Qed.
Lemma all_slopes_spec a K rows reals : Forall2 is_row rows reals -> 0 <= val a < 1 -> 0 <= val K -> forall neurons j kinks f k, all_slopes a K j neurons rows kinks = Some (f, k) ->
  length f = length neurons /\
  forall s, In s (map real_sloped f) -> Forall2 (fun c r => slope_at (val a) (val K) (inner (fst s)) (point r) c) (snd s) reals.
Proof.
  intros F A Kp. induction neurons as [|n neurons IH]; intros j kinks f k H; simpl in H; [injection H as <- _; split; [reflexivity | intros s []]|].
  destruct (slopes_of a K j 0 (dinner n) rows kinks) as [(c, rest)|] eqn:E; [|discriminate].
  destruct (all_slopes a K (j + 1) neurons rows rest) as [(f', k')|] eqn:E2; [|discriminate]. injection H as <- _.
  destruct (IH _ _ _ _ E2) as (L & G). split; [simpl; now rewrite L|]. intros s [<-|I]; [|auto]. simpl. eapply slopes_spec; eauto.
Qed.

Section Point.
  Variables (both : bool) (a : dyadic) (f : list sloped) (l : list dyadic) (rows : list drow) (reals : list row).
  Hypothesis real : Forall2 is_row rows reals.
  Let p (r : row) : R := entry (target r) * sum (map (fun j => entry (outer (fst j)) * leaky (val a) (dot (inner (fst j)) (point r))) (map real_sloped f)).
  Lemma output_spec q r : is_row q r -> val (doutput_signed a f q) = p r.
  Proof.
    intros (P & T & _). unfold doutput_signed, p. rewrite val_mul, dentry_spec, <- T, val_sum. f_equal. unfold vals at 1. rewrite !map_map. apply sum_ext. intros j _.
    rewrite val_mul, dentry_spec, dleaky_spec, val_dot, <- P. reflexivity.
  Qed.
  Lemma inner_left j : vals (left_of_inner l rows j) = plus (inner (fst (real_sloped j))) (times (- entry (outer (fst (real_sloped j))))
    (total (map (fun q => times (fst (fst q) * entry (target (snd (fst q))) * snd q) (point (snd (fst q)))) (combine (combine (vals l) reals) (snd (real_sloped j)))))).
  Proof.
    unfold left_of_inner. rewrite vals_plus, vals_times, val_neg, dentry_spec, vals_total_right. cbn [real_sloped fst snd real_neuron inner outer]. do 3 f_equal.
    apply combine_slopes; [exact real|]. intros t q r c (P & T & _). unfold dforce. cbn [fst snd]. now rewrite vals_times, !val_mul, dentry_spec, P, <- T.
  Qed.
  Lemma outer_left j : val (left_of_outer a l rows j) = entry (outer (fst (real_sloped j))) -
    sum (map (fun q => fst q * entry (target (snd q)) * leaky (val a) (dot (inner (fst (real_sloped j))) (point (snd q)))) (combine (vals l) reals)).
  Proof.
    unfold left_of_outer. rewrite val_sub, dentry_spec, val_sum. cbn [real_sloped fst snd real_neuron inner outer]. f_equal. f_equal. unfold vals at 1.
    apply combine_rows; [exact real|]. intros t q r (P & T & _). unfold dforce. cbn [fst snd]. now rewrite !val_mul, dentry_spec, dleaky_spec, val_dot, P, <- T.
  Qed.
  Lemma squares_spec u w du dw : (forall j, vals (du j) = u (real_sloped j)) -> (forall j, val (dw j) = w (real_sloped j)) ->
    val (dsquares both f du dw) = sum (map (fun j => dot (u j) (u j) + if both then w j * w j else 0) (map real_sloped f)).
  Proof.
    intros U W. unfold dsquares. rewrite val_sum. unfold vals. rewrite !map_map. apply sum_ext. intros j _. rewrite val_add, val_dot, U. destruct both; [now rewrite val_mul, W | now rewrite val_zero].
  Qed.
End Point.

Theorem check_limit_sound both slope R_ S_ K g rows neurons l kinks U L :
  check_limit both (match slope with Some a => a | None => dzero end) R_ S_ K rows neurons l kinks = Some (U, L) ->
  forall free d, claim_holds free d g (real_rows g 0 rows) (Limit both slope R_ S_ K (length neurons) U L).
Proof.
  set (a := match slope with Some a => a | None => dzero end). unfold check_limit.
  destruct (all_slopes a K 0 neurons rows kinks) as [(f, [|])|] eqn:Sl; try discriminate.
  set (p := map (doutput_signed a f) rows). set (m := least p). set (size := dsquares both f _ _). set (rest := dsquares both f _ _).
  set (waste := dsum (map _ (combine l rows))). set (root := dsqrt_up size). set (below := ddiv_down size root).
  match goal with |- (if ?c then _ else _) = _ -> _ => destruct c eqn:C; [|discriminate] end. intros H free d.
  rewrite !andb_true_iff, forallb_forall, Nat.eqb_eq, !dlt_spec, !dle_spec, val_zero, val_one in C.
  destruct C as ((((((((((((((A0 & A1) & Rp) & Sp) & Kp) & Sg) & Ll) & Mp) & Lp) & Ls) & Wa) & Zp) & Rt) & Bl) & Re).
  set (reals := real_rows g 0 rows). pose proof (real_rows_forall g 0 rows) as F. fold reals in F.
  destruct (all_slopes_spec a K rows reals F ltac:(lra) Kp neurons 0 kinks f [] Sl) as (Lf & Slopes).
  assert (Lr : length reals = length rows). { clear -F. induction F; simpl; auto. }
  assert (Ne : p <> []). { intro E. unfold m in Mp. rewrite E in Mp. simpl in Mp. rewrite val_zero in Mp. lra. }
  assert (Va : (match slope with Some a => val a | None => 0 end) = val a) by (unfold a; destruct slope; [reflexivity | now rewrite val_zero]).
  assert (Size : val size = sum (map (fun j => dot (inner (fst j)) (inner (fst j)) + if both then entry (outer (fst j)) * entry (outer (fst j)) else 0) (map real_sloped f))).
  { apply (squares_spec both f (fun j => inner (fst j)) (fun j => entry (outer (fst j)))); intro j; [reflexivity | apply dentry_spec]. }
  cbn [claim_holds]. rewrite Va. exists (map real_sloped f), (vals l), (val m), (sqrt (val size)).
  split; [now rewrite map_length|]. split; [rewrite vals_length; congruence|].
  assert (Wp : 0 < sqrt (val size)) by (now apply sqrt_lt_R0). assert (WW : sqrt (val size) * sqrt (val size) = val size) by (apply sqrt_sqrt; lra).
  split.
  - unfold kkt_point. cbv zeta. split; [exact Mp|]. split.
    { intros r I. destruct (forall2_in_r _ _ _ _ F I) as (q & Q & Iq). rewrite <- (output_spec a f q r Iq). apply least_spec. unfold p. now apply in_map. }
    split.
    { pose proof (least_in p Ne) as I. unfold p in I. apply in_map_iff in I as (q & E & Q). destruct (forall2_in _ _ _ _ F Q) as (r & Ir & Iq). exists r. split; [exact Ir|].
      rewrite <- (output_spec a f q r Iq), E. reflexivity. }
    split. { intros t T. apply in_map_iff in T as (c & <- & I). specialize (Lp c I). now rewrite dle_spec, val_zero in Lp. }
    split. { now rewrite <- val_sum. }
    split.
    { rewrite !val_mul, val_sum in Wa. eapply Rle_trans; [|exact Wa]. right. unfold waste. rewrite val_sum. f_equal. symmetry. unfold vals at 1.
      apply combine_rows; [exact F|]. intros t q r Iq. cbn [fst snd]. now rewrite val_mul, val_sub, (output_spec a f q r Iq). }
    split; [exact Slopes|]. split; [now rewrite Size|].
    rewrite <- (sqrt_square (val R_)) by exact Rp. rewrite <- sqrt_mult_alt by nra. apply sqrt_le_1_alt. rewrite !val_mul in Re. eapply Rle_trans; [|exact Re]. right. symmetry.
    unfold rest. apply (squares_spec both f); intro j; [now apply inner_left | now apply outer_left].
  - assert (Br : val below <= sqrt (val size) <= val root).
    { pose proof (dsqrt_up_spec size ltac:(lra)) as Q. fold root in Q. split; [|exact Q]. unfold below. eapply Rle_trans; [now apply ddiv_down_spec|].
      apply Rmult_le_reg_r with (val root); [exact Rt|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- WW at 1. apply Rmult_le_compat_l; lra. }
    destruct both; injection H as <- <-.
    + rewrite WW. split; [eapply Rle_trans; [apply double_down_spec | now apply ddiv_down_spec] | eapply Rle_trans; [now apply ddiv_up_spec | apply double_up_spec]].
    + split.
      * eapply Rle_trans; [apply double_down_spec|]. eapply Rle_trans; [now apply ddiv_down_spec|]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
      * eapply Rle_trans; [|apply double_up_spec]. eapply Rle_trans; [|now apply ddiv_up_spec]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.
