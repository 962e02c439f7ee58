(* SPDX-License-Identifier: Apache-2.0 *)
(* Margin 0 (docs/reference/certificate.md, Section 6): pairs of rows on common lines with opposite labels. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows.
Import ListNotations.
Open Scope R_scope.

(* --- over the reals --- *)

(* x_b = t x_a with t = ratio, and a multiplier. *)
Record pair := Pair { first : row; second : row; ratio : R; multiplier : R }.
Definition proper (p : pair) : Prop :=
  (forall u, dot (point (second p)) u = ratio p * dot (point (first p)) u) /\
  dot (point (first p)) (point (first p)) <> 0 /\ target (first p) = [1] /\ target (second p) = [-1] /\
  0 < multiplier p /\ ratio p <> 0.
Definition balanced (l : list pair) : Prop :=
  (exists p, In p l /\ 0 < ratio p) \/
  (l <> [] /\ forall u, sum (map (fun p => multiplier p * dot (point (first p)) u) l) = 0).

Lemma output_scalar f r y : unbiased false f -> dot [y] (output f r) =
  y * sum (map (fun j => relu (dot (inner j) (point r)) * dot [1] (outer j)) (neurons f)).
Proof.
  intros [H|[C S]]; [discriminate|]. unfold output. rewrite C. simpl plus. rewrite dot_total_r, map_map, <- sum_times.
  apply sum_ext. intros j J. rewrite (S j J), Rplus_0_r, dot_times_r.
  destruct (outer j) as [|a w]; simpl; try lra; destruct w; lra.
Qed.

Lemma relu_negative t a : t < 0 -> relu (t * a) / t = - relu (- a).
Proof.
  intro H. replace (t * a) with (- t * - a) by ring. rewrite relu_scale by lra. field. lra.
Qed.

Lemma no_network l rows : (forall p, In p l -> proper p /\ In (first p) rows /\ In (second p) rows) -> balanced l ->
  forall f, unbiased false f -> ~ forall r, In r rows -> 0 < dot (target r) (output f r).
Proof.
  intros P B f U H.
  set (G := fun x => sum (map (fun j => relu (dot (inner j) x) * dot [1] (outer j)) (neurons f))).
  assert (K : forall p, In p l -> 0 < G (point (first p)) /\ G (point (second p)) < 0).
  { intros p I. destruct (P p I) as ((_ & _ & A & C & _) & F & S). pose proof (H _ F) as HF. pose proof (H _ S) as HS.
    rewrite A, output_scalar in HF by assumption. rewrite C, output_scalar in HS by assumption. unfold G. split; lra. }
  destruct B as [(p & I & T)|(N & Z)].
  - destruct (P p I) as ((E & _) & _). destruct (K p I) as (A & C).
    assert (G (point (second p)) = ratio p * G (point (first p))).
    { unfold G. rewrite <- sum_times. apply sum_ext. intros j _. rewrite (dot_comm (inner j)), E, (dot_comm _ (inner j)), relu_scale; lra. }
    nra.
  -
    assert (Q : (exists p, In p l /\ 0 < ratio p) \/ forall p, In p l -> ratio p < 0).
    { clear -P. induction l as [|p l IH]; [right; simpl; tauto|].
      destruct IH as [(q & I & Q)|Q]; [intros; apply P; now right| left; exists q; simpl; auto |].
      destruct (P p (or_introl eq_refl)) as ((_ & _ & _ & _ & _ & R) & _).
      destruct (Rlt_dec 0 (ratio p)); [left; exists p; simpl; auto|]. right. intros q [<-|I]; [lra | auto]. }
    destruct Q as [(p & I & T)|Q].
    { destruct (P p I) as ((E & _) & _). destruct (K p I) as (A & C).
      assert (G (point (second p)) = ratio p * G (point (first p))).
      { unfold G. rewrite <- sum_times. apply sum_ext. intros j _. rewrite (dot_comm (inner j)), E, (dot_comm _ (inner j)), relu_scale; lra. }
      nra. }
    assert (S : 0 < sum (map (fun p => multiplier p * (G (point (first p)) + G (point (second p)) / ratio p)) l)).
    { apply sum_pos; auto. intros p I. destruct (K p I) as (A & C). pose proof (Q p I) as T.
      destruct (P p I) as ((_ & _ & _ & _ & M & _) & _). apply Rmult_lt_0_compat; auto.
      assert (0 < G (point (second p)) / ratio p).
      { replace (G (point (second p)) / ratio p) with (- G (point (second p)) * / - ratio p) by (field; lra).
        apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]. }
      lra. }
    assert (Y : sum (map (fun p => multiplier p * (G (point (first p)) + G (point (second p)) / ratio p)) l) =
            sum (map (fun j => dot [1] (outer j) * sum (map (fun p => multiplier p * dot (point (first p)) (inner j)) l)) (neurons f))).
    { transitivity (sum (map (fun p => sum (map (fun j => multiplier p * (dot [1] (outer j) * dot (point (first p)) (inner j))) (neurons f))) l)).
      - apply sum_ext. intros p I. rewrite sum_times. f_equal. unfold G, Rdiv. rewrite (Rmult_comm (sum _) (/ _)).
        rewrite <- sum_times, <- sum_plus. apply sum_ext. intros j _.
        destruct (P p I) as ((E & _) & _). pose proof (Q p I).
        rewrite (dot_comm (inner j) (point (second p))), E, (dot_comm (inner j)).
        set (s := dot (point (first p)) (inner j)). pose proof (relu_negative (ratio p) s H0) as RN. pose proof (relu_odd s).
        replace (/ ratio p * (relu (ratio p * s) * dot [1] (outer j))) with (relu (ratio p * s) / ratio p * dot [1] (outer j)) by (field; lra).
        rewrite RN. nra.
      - rewrite sum_swap. apply sum_ext. intros j _. rewrite <- sum_times. apply sum_ext. intros; ring. }
    rewrite Y in S. rewrite (sum_ext _ (fun _ => 0)) in S; [rewrite sum_zero in S; lra|].
    intros j _. rewrite Z. ring.
Qed.

(* Infinite width. *)
Lemma mean_of_sum rows (E : average rows) (h : pair -> vec -> R) l :
  integrable _ E (fun _ => 0) -> mean _ E (fun _ => 0) = 0 -> (forall p, In p l -> integrable _ E (h p)) ->
  integrable _ E (fun u => sum (map (fun p => multiplier p * h p u) l)) /\
  mean _ E (fun u => sum (map (fun p => multiplier p * h p u) l)) = sum (map (fun p => multiplier p * mean _ E (h p)) l).
Proof.
  intros Z M. induction l as [|p l IH]; intro H; simpl; [auto|].
  destruct IH as [A B]; [intros; apply H; now right|].
  destruct (of_multiple _ E (multiplier p) (h p) (H p (or_introl eq_refl))) as [C D].
  destruct (of_sum _ E _ _ C A) as [F G]. split; [exact F|]. now rewrite G, D, B.
Qed.

Lemma no_features l rows : (forall p, In p l -> proper p /\ In (first p) rows /\ In (second p) rows) -> balanced l ->
  forall (E : average rows) v, (forall r, In r rows -> integrable _ E (feature v r)) ->
  ~ forall r, In r rows -> 0 < entry (target r) * mean _ E (feature v r).
Proof.
  intros P B E v J H.
  assert (K : forall p, In p l -> 0 < mean _ E (feature v (first p)) /\ mean _ E (feature v (second p)) < 0).
  { intros p I. destruct (P p I) as ((_ & _ & A & C & _) & F & S). pose proof (H _ F) as HF. pose proof (H _ S) as HS.
    rewrite A in HF. rewrite C in HS. unfold entry in *. simpl in *. split; lra. }
  assert (Ray : forall p, In p l -> 0 < ratio p -> False).
  { intros p I T. destruct (P p I) as ((X & _) & F & S). destruct (K p I) as (A & C).
    destruct (of_multiple _ E (ratio p) _ (J _ F)) as [D M].
    destruct (of_null _ E (fun u => ratio p * feature v (first p) u) (feature v (second p))) as [_ N]; auto.
    { intros u _. unfold feature. rewrite !X. destruct (Rlt_dec 0 (dot (point (first p)) u)), (Rlt_dec 0 (ratio p * dot (point (first p)) u)); nra. }
    rewrite M in N. nra. }
  destruct B as [(p & I & T)|(N & Z)]; [eauto|].
  assert (Q : forall p, In p l -> ratio p < 0).
  { intros p I. destruct (P p I) as ((_ & _ & _ & _ & _ & R) & _). destruct (Rlt_dec 0 (ratio p)); [exfalso; eauto | lra]. }
  set (h := fun p u => dot (point (first p)) (v u)).
  assert (L : forall p, In p l -> integrable _ E (h p) /\ mean _ E (h p) = mean _ E (feature v (first p)) + / ratio p * mean _ E (feature v (second p))).
  { intros p I. destruct (P p I) as ((X & Y & _) & F & S). pose proof (Q p I) as T.
    destruct (of_multiple _ E (/ ratio p) _ (J _ S)) as [D M].
    destruct (of_sum _ E _ _ (J _ F) D) as [A C].
    destruct (of_null _ E (fun u => feature v (first p) u + / ratio p * feature v (second p) u) (h p)) as [G W]; auto.
    { intros u O. unfold feature, h. rewrite !X. pose proof (O _ F Y) as NZ.
      destruct (Rlt_dec 0 (dot (point (first p)) u)), (Rlt_dec 0 (ratio p * dot (point (first p)) u)); try (exfalso; nra); field; lra. }
    split; [exact G|]. rewrite W, C, M. reflexivity. }
  destruct l as [|q l']; [congruence|].
  destruct (L q (or_introl eq_refl)) as [Iq _].
  destruct (of_multiple _ E 0 _ Iq) as [I0 M0].
  destruct (of_null _ E (fun u => 0 * h q u) (fun _ => 0)) as [IZ MZ]; [intros; ring | exact I0|].
  rewrite M0, Rmult_0_l in MZ.
  destruct (mean_of_sum rows E h (q :: l')) as [IS MS]; auto. { intros p I. now destruct (L p I). }
  destruct (of_null _ E (fun u => sum (map (fun p => multiplier p * h p u) (q :: l'))) (fun _ => 0)) as [_ W]; auto.
  { intros u _. unfold h. apply Z. }
  rewrite MZ, MS in W.
  assert (S : 0 < sum (map (fun p => multiplier p * mean _ E (h p)) (q :: l'))).
  { apply sum_pos; [congruence|]. intros p I. destruct (K p I) as (A & C). destruct (L p I) as (_ & ->).
    destruct (P p I) as ((_ & _ & _ & _ & M & _) & _). pose proof (Q p I). apply Rmult_lt_0_compat; auto.
    assert (/ ratio p < 0) by (apply Rinv_lt_0_compat; lra). nra. }
  lra.
Qed.

(* --- the check --- *)

Record evidence := Evidence { a_row : drow; b_row : drow; l_of : dyadic }.
Definition pair_ok (e : evidence) : bool :=
  let a := dpoint (a_row e) in let b := dpoint (b_row e) in
  let ab := ddot a b in
  match dtarget (a_row e), dtarget (b_row e) with
  | [p], [q] => deq p done && deq q (dint (-1)) && dlt dzero (l_of e) && negb (deq ab dzero) && deq (dmul ab ab) (dmul (ddot a a) (ddot b b))
  | _, _ => false
  end.
Definition on_ray (e : evidence) : bool := dlt dzero (ddot (dpoint (a_row e)) (dpoint (b_row e))).
Definition zero_ok (l : list evidence) : bool :=
  forallb pair_ok l &&
  (existsb on_ray l || (negb (match l with [] => true | _ => false end) &&
                        dnull (dtotal (map (fun e => dtimes (l_of e) (dpoint (a_row e))) l)))).
Fixpoint find_pairs (rows : list drow) (l : list (Z * Z * dyadic)) : option (list evidence) :=
  match l with
  | [] => Some []
  | (a, b, m) :: rest =>
      match znth a rows, znth b rows, find_pairs rows rest with
      | Some p, Some q, Some found => Some (Evidence p q m :: found)
      | _, _, _ => None
      end
  end.
Definition check_zero (rows : list drow) (l : list (Z * Z * dyadic)) : bool :=
  match find_pairs rows l with Some found => zero_ok found | None => false end.

Lemma find_pairs_in rows l found : find_pairs rows l = Some found -> forall e, In e found -> In (a_row e) rows /\ In (b_row e) rows.
Proof.
  revert found. induction l as [|((a, b), m) l IH]; simpl; intro found.
  - intros [= <-] e [].
  - destruct (znth a rows) as [p|] eqn:A; [|discriminate]. destruct (znth b rows) as [q|] eqn:B; [|discriminate].
    destruct (find_pairs rows l) as [rest|]; [|discriminate]. intros [= <-] e [<-|I]; [|eauto].
    simpl. split; eapply znth_in; eauto.
Qed.

Lemma pairs_real g i rows found : (forall e, In e found -> In (a_row e) rows /\ In (b_row e) rows) -> forallb pair_ok found = true ->
  exists l : list pair, Forall2 (fun e p => is_row (a_row e) (first p) /\ is_row (b_row e) (second p) /\ multiplier p = val (l_of e) /\
     proper p /\ In (first p) (real_rows g i rows) /\ In (second p) (real_rows g i rows) /\
     (on_ray e = true -> 0 < ratio p)) found l.
Proof.
  induction found as [|e found IH]; intros R H; [exists []; constructor|].
  simpl in H. apply andb_true_iff in H as [H T]. destruct IH as [l L]; auto. { intros; apply R; now right. }
  destruct (R e (or_introl eq_refl)) as [A B].
  destruct (real_row_in g i rows _ A) as (ra & RA & IA). destruct (real_row_in g i rows _ B) as (rb & RB & IB).
  pose proof IA as (PA & TA & _). pose proof IB as (PB & TB & _).
  unfold pair_ok in H. destruct (dtarget (a_row e)) as [|p [|]] eqn:EA; try discriminate.
  destruct (dtarget (b_row e)) as [|q [|]] eqn:EB; try discriminate.
  rewrite !andb_true_iff, negb_true_iff, !deq_spec, dlt_spec, !val_mul, !val_dot, val_int, val_one, val_zero in H.
  destruct H as ((((P1 & Q1) & L0) & N) & C).
  set (a := vals (dpoint (a_row e))) in *. set (b := vals (dpoint (b_row e))) in *.
  assert (NZ : dot a b <> 0). { intro Z. assert (deq (ddot (dpoint (a_row e)) (dpoint (b_row e))) dzero = true); [|congruence]. apply deq_spec. rewrite val_dot, val_zero. exact Z. }
  assert (AA : 0 < dot a a). { pose proof (dot_self a). pose proof (dot_self b). destruct (Req_dec (dot a a) 0) as [Z|]; [|lra]. rewrite Z in C. nra. }
  assert (NR : dot a b / dot a a <> 0). { intro Z. apply NZ. replace (dot a b) with (dot a b / dot a a * dot a a) by (field; lra). rewrite Z. ring. }
  assert (PP : proper (Pair ra rb (dot a b / dot a a) (val (l_of e)))).
  { unfold proper; simpl. rewrite PA, PB, TA, TB, ?EA, ?EB. simpl. rewrite P1, Q1.
    repeat (split; [first [exact L0 | reflexivity | intro u; apply parallel; auto | fold a; lra]|]). exact NR. }
  exists (Pair ra rb (dot a b / dot a a) (val (l_of e)) :: l). constructor; auto.
  split; [exact IA|]. split; [exact IB|]. split; [reflexivity|]. split; [exact PP|].
  split; [exact RA|]. split; [exact RB|]. simpl.
  unfold on_ray. rewrite dlt_spec, val_dot, val_zero. fold a b. intro O. apply Rmult_lt_0_compat; auto. now apply Rinv_0_lt_compat.
Qed.

Theorem check_zero_sound g rows l : check_zero rows l = true -> forall free d, claim_holds free d g (real_rows g 0 rows) (ZeroMargin ByPairs).
Proof.
  unfold check_zero. destruct (find_pairs rows l) as [found|] eqn:F; [|discriminate]. unfold zero_ok. rewrite andb_true_iff.
  intros [O B] free d. pose proof (find_pairs_in _ _ _ F) as I. destruct (pairs_real g 0 rows found I O) as [ps P].
  assert (Q : forall p, In p ps -> proper p /\ In (first p) (real_rows g 0 rows) /\ In (second p) (real_rows g 0 rows)).
  { clear -P. induction P as [|e p es ps H P IH]; simpl; [tauto|]. intros q [<-|J]; [|auto]. tauto. }
  assert (W : balanced ps).
  { apply orb_true_iff in B as [B|B].
    - left. apply existsb_exists in B as (e & E & R). clear -P E R. induction P as [|f p es ps H P IH]; simpl in *; [tauto|].
      destruct E as [->|E]; [exists p; split; [now left | tauto]|]. destruct (IH E) as (q & Y & Z). exists q; auto.
    - apply andb_true_iff in B as [N Z]. right. split.
      + destruct P; [discriminate | congruence].
      + intro u. pose proof (dnull_spec _ u Z) as D. rewrite dot_dtotal, map_map in D. rewrite <- D. clear -P.
        induction P as [|e p es ps H P IH]; simpl; [reflexivity|]. rewrite IH. f_equal.
        destruct H as ((PA & _) & _ & M & _). now rewrite vals_times, dot_times, M, PA. }
  split; [intros i E; discriminate|]. split; [eapply no_network; eauto|].
  intros E s (v & _ & V) H. refine (no_features ps _ Q W E v _ _); intros r R; destruct (V r R) as (I1 & I2); [exact I1|]. rewrite <- I2. auto.
Qed.

(* --- rows that make a margin 0 by themselves --- *)

Lemma real_nth g rows : forall i k p, nth_error rows k = Some p -> exists r, nth_error (real_rows g i rows) k = Some r /\ is_row p r.
Proof.
  induction rows as [|q rows IH]; intros i [|k] p H; simpl in H; try discriminate.
  - injection H as ->. eexists. split; [reflexivity | now repeat split].
  - exact (IH (S i) k p H).
Qed.
(* Row i is 0, where every network without biases is 0, and every feature. *)
Definition check_origin (rows : list drow) (i : nat) : bool :=
  signs rows && match nth_error rows i with Some p => dnull (dpoint p) | None => false end.
Theorem check_origin_sound g rows i : check_origin rows i = true -> forall free d, claim_holds free d g (real_rows g 0 rows) (ZeroMargin (AtOrigin i)).
Proof.
  unfold check_origin. rewrite andb_true_iff. intros (_ & H) free d. destruct (nth_error rows i) as [p|] eqn:E; [|discriminate].
  destruct (real_nth g rows 0 i p E) as (r & R & P & _). pose proof (nth_error_In _ _ R) as I.
  assert (Z : forall u, dot (point r) u = 0) by (intro u; rewrite P; now apply dnull_spec).
  split; [|split].
  - intros k [= <-]. exists r. split; [exact R|]. unfold norm. rewrite Z. apply sqrt_0.
  - intros f [F|(C & S)] H0; [discriminate|]. specialize (H0 r I). unfold output in H0. rewrite C in H0. simpl plus in H0. rewrite dot_total_r, map_map in H0.
    rewrite (sum_ext _ (fun _ => 0)), sum_zero in H0; [lra|]. intros j J. rewrite dot_times_r, (dot_comm (inner j)), Z, (S j J), Rplus_0_r.
    unfold relu. rewrite Rmax_left by lra. ring.
  - intros M s (v & _ & V) H0. specialize (H0 r I). destruct (V r I) as (In_ & Q).
    destruct (of_multiple _ M 0 _ In_) as (In2 & Q2). destruct (of_null _ M (fun u => 0 * feature v r u) (feature v r)) as (_ & Q3); [|exact In2|].
    { intros u _. unfold feature. rewrite !Z. destruct (Rlt_dec 0 0); ring. }
    rewrite Q, Q3, Q2 in H0. lra.
Qed.
(* Rows a and b are equal, with opposite targets. *)
Definition dsame (a b : list dyadic) : bool := Nat.eqb (length a) (length b) && forallb (fun p => deq (fst p) (snd p)) (combine a b).
Lemma dsame_spec a b : dsame a b = true -> vals a = vals b.
Proof.
  unfold dsame. rewrite andb_true_iff, Nat.eqb_eq. intros (L & H). revert b L H. induction a as [|x a IH]; intros [|y b] L H; simpl in *; try discriminate; auto.
  apply andb_true_iff in H as (E & H). apply deq_spec in E. rewrite E. f_equal. auto.
Qed.
Definition check_equal (rows : list drow) (a b : nat) : bool :=
  signs rows &&
  match nth_error rows a, nth_error rows b with
  | Some p, Some q => dsame (dpoint p) (dpoint q) && deq (nth 0 (dtarget p) dzero) (dneg (nth 0 (dtarget q) dzero))
  | _, _ => false
  end.
Theorem check_equal_sound g rows a b : check_equal rows a b = true -> forall free d, claim_holds free d g (real_rows g 0 rows) (ZeroMargin (EqualRows a b)).
Proof.
  unfold check_equal. rewrite andb_true_iff. intros (_ & H) free d.
  destruct (nth_error rows a) as [p|] eqn:A; [|discriminate]. destruct (nth_error rows b) as [q|] eqn:B; [|discriminate].
  apply andb_true_iff in H as (X & Y). apply dsame_spec in X. rewrite deq_spec, val_neg, <- !vals_nth in Y.
  destruct (real_nth g rows 0 a p A) as (r & R & Pr & Tr & _). destruct (real_nth g rows 0 b q B) as (s & S & Ps & Ts & _).
  assert (E : point r = point s) by congruence. assert (T : entry (target r) = - entry (target s)) by (unfold entry; now rewrite Tr, Ts).
  split; [exists r, s; auto|]. intros f H. pose proof (H r (nth_error_In _ _ R)) as Hr. pose proof (H s (nth_error_In _ _ S)) as Hs. rewrite E, T in Hr. lra.
Qed.
