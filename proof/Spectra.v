(* SPDX-License-Identifier: Apache-2.0 *)
(* The ends of the spectrum of a tangent kernel (docs/reference/certificate.md, Section 7): entries between two numbers, a form that elimination shows to
   be nowhere negative, and null vectors, exactly. *)
From Coq Require Import ZArith Reals Ratan List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Means Cones Definite Angles Pi Train.
Import ListNotations.

(* --- the matrix --- *)

Definition shared (counts : list Z) (p q : orow) : dyadic :=
  dsum (map (fun j => if snd p j then if snd q j then dint (nth j counts 0%Z) else dzero else dzero) (seq 0 (length counts))).
(* t (pi - angle) / (2 pi), and |x||z| sin angle / (2 pi), between two numbers; the latter not negative. *)
Definition by_angle (t : dyadic) (x z : list dyadic) : dyadic * dyadic :=
  let turn := turn_between (ddot x z) (ddot x x) (ddot z z) in
  let a := dmul t (dsub (Dy 1 (-1)) (snd turn)) in
  let b := dmul t (dsub (Dy 1 (-1)) (fst turn)) in
  (dmin a b, dmax a b).
Definition sine_part (x z : list dyadic) : dyadic * dyadic :=
  let square := dsub (dmul (ddot x x) (ddot z z)) (dmul (ddot x z) (ddot x z)) in
  if dle square dzero then (dzero, dzero) else
  let root := dsqrt_up square in
  (ddiv_down (ddiv_down square root) (dadd pi_high pi_high), ddiv_up root (dadd pi_low pi_low)).
(* Two numbers with H_pq between them. *)
Definition dkernel (k : kernel) (factor : dyadic) (p q : orow) : dyadic * dyadic :=
  let x := dpoint (fst p) in
  let z := dpoint (fst q) in
  let t := dmul factor (ddot x z) in
  match k with
  | FirstLayerWide => if dnull x || dnull z then (dzero, dzero) else by_angle t x z
  | BothLayersWide =>
      if dnull x || dnull z then (dzero, dzero) else
      let first := by_angle (dadd t t) x z in
      let s := sine_part x z in
      (dadd (fst first) (dmul factor (fst s)), dadd (snd first) (dmul factor (snd s)))
  | FirstLayerGates counts M => let s := dmul t (shared counts p q) in (ddiv_down s (dint M), ddiv_up s (dint M))
  end.
Fixpoint upper_triangle {A B} (f : A -> A -> B) (l : list A) : list (list B) :=
  match l with [] => [] | p :: rest => map (f p) l :: upper_triangle f rest end.
Definition widest (m : list (list (dyadic * dyadic))) : dyadic :=
  fold_left (fun e b => fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e) m dzero.
Fixpoint dform (m : list (list dyadic)) (v : list dyadic) : dyadic :=
  match m, v with
  | (p :: r) :: m, t :: v => dadd (dadd (dmul p (dmul t t)) (dmul (dmul (dint 2) t) (ddot r v))) (dform m v)
  | _, _ => dzero
  end.
Definition trace (m : list (list dyadic)) : dyadic := dsum (map (fun b => match b with p :: _ => dabs p | [] => dzero end) m).
Definition nowhere_negative (n : nat) (m : list (list dyadic)) : bool :=
  Nat.eqb (length m) n && tri_definite (Z.log2 (Z.abs (mantissa (trace m))) + exponent (trace m) - 180) n m.

(* --- null vectors --- *)

Definition gate_sum (l : list (orow * dyadic)) (open : orow -> bool) : list dyadic :=
  dtotal (map (fun p => if open (fst p) then dtimes (snd p) (dpoint (fst (fst p))) else []) l).
Definition same_line (x z : list dyadic) : bool := negb (deq (ddot x z) dzero) && deq (dmul (ddot x z) (ddot x z)) (dmul (ddot x x) (ddot z z)).
Definition balanced (l : list (orow * dyadic)) (x : list dyadic) : bool :=
  deq (dsum (map (fun p => let z := dpoint (fst (fst p)) in if same_line x z then dmul (snd p) (dabs (ddot x z)) else dzero) l)) dzero.
Definition check_null (k : kernel) (l : list (orow * dyadic)) : bool :=
  match k with
  | FirstLayerGates counts _ => forallb (fun j => dnull (gate_sum l (fun p => snd p j))) (seq 0 (length counts))
  | _ => dnull (gate_sum l (fun _ => true)) && forallb (fun p => balanced l (dpoint (fst (fst p)))) l
  end.

Definition kernel_ok (k : kernel) : bool :=
  match k with FirstLayerGates counts M => (0 <? M)%Z && forallb (fun t => (0 <=? t)%Z) counts | _ => true end.
Definition check_spectrum (k : kernel) (factor : dyadic) (which : spectral_end) (all : list orow) (v : list dyadic) (U L : dyadic) : option (dyadic * dyadic) :=
  let n := length all in
  let vv := ddot v v in
  if negb (kernel_ok k && dlt dzero factor && Nat.eqb (length v) n && dlt dzero vv) then None else
  match which with
  | Null => if check_null k (combine all v) && dle dzero U && dle L dzero then Some (dzero, dzero) else None
  | _ =>
      let m := upper_triangle (dkernel k factor) all in
      let low := map (map fst) m in
      let e := widest m in
      let middle := dform low v in
      let spread := dsum (map dabs v) in
      let miss := dmul e (dmul spread spread) in
      let lost := dmul (dint (Z.of_nat n)) e in
      match which with
      | Least =>
          let high := ddiv_up (dadd middle miss) vv in
          if dle high U && (negb (dlt dzero L) || nowhere_negative n (tri_plus (tri_diagonal n (dneg (dadd L lost))) low))
          then Some (double_up high, if dlt dzero L then double_down L else dzero) else None
      | _ =>
          let least := ddiv_down (dsub middle miss) vv in
          if dle L least && nowhere_negative n (tri_plus (tri_diagonal n (dsub U lost)) (tri_times (dint (-1)) low))
          then Some (double_up U, double_down least) else None
      end
  end.

(* --- entries --- *)
Open Scope R_scope.

Lemma between t a b w : a <= w <= b -> Rmin (t * a) (t * b) <= t * w <= Rmax (t * a) (t * b).
Proof. intro H. unfold Rmin, Rmax. destruct (Rle_dec (t * a) (t * b)); destruct (Rle_dec 0 t); split; nra. Qed.
Definition share (counts : list Z) (M : Z) (r s : row) : R :=
  sum (map (fun j => if opens r j then if opens s j then IZR (nth j counts 0%Z) / IZR M else 0 else 0) (seq 0 (length counts))).
Lemma shared_spec counts p q r s M : is_open_row p r -> is_open_row q s -> 0 < IZR M -> val (shared counts p q) / IZR M = share counts M r s.
Proof.
  intros (_ & P) (_ & Q) Mp. unfold shared, share. rewrite val_sum. unfold vals. rewrite map_map. unfold Rdiv at 1. rewrite Rmult_comm, <- sum_times.
  apply sum_ext. intros j _. rewrite P, Q. destruct (opens r j), (opens s j); rewrite ?val_zero, ?val_int; field; lra.
Qed.
Lemma by_angle_spec t x z : 0 < dot (vals x) (vals x) -> 0 < dot (vals z) (vals z) ->
  val (fst (by_angle t x z)) <= val t * ((PI - angle (vals x) (vals z)) / (2 * PI)) <= val (snd (by_angle t x z)).
Proof.
  intros X Z. pose proof (turn_between_spec x z X Z) as H. unfold by_angle. set (turn := turn_between _ _ _) in *. cbn [fst snd]. rewrite val_min, val_max, !val_mul, !val_sub.
  assert (Hf : val (Dy 1 (-1)) = 1 / 2) by (replace (Dy 1 (-1)) with (dhalf done) by reflexivity; now rewrite val_half, val_one).
  rewrite Hf. pose proof PI_RGT_0. replace ((PI - angle (vals x) (vals z)) / (2 * PI)) with (1 / 2 - angle (vals x) (vals z) / (2 * PI)) by (field; lra).
  apply between. lra.
Qed.
Lemma sine_part_spec x z : let root := sqrt (dot (vals x) (vals x) * dot (vals z) (vals z) - dot (vals x) (vals z) * dot (vals x) (vals z)) in
  val (fst (sine_part x z)) <= root / (2 * PI) <= val (snd (sine_part x z)).
Proof.
  cbv zeta. unfold sine_part. set (square := dsub _ _).
  assert (V : val square = dot (vals x) (vals x) * dot (vals z) (vals z) - dot (vals x) (vals z) * dot (vals x) (vals z)) by (unfold square; now rewrite val_sub, !val_mul, !val_dot).
  rewrite <- V. pose proof PI_RGT_0 as P. destruct (dle square dzero) eqn:E.
  - rewrite dle_spec, val_zero in E. cbn [fst snd]. rewrite val_zero, (sqrt_neg_0 _ E). unfold Rdiv. rewrite Rmult_0_l. lra.
  - assert (S : 0 < val square). { destruct (Rlt_dec 0 (val square)); auto. assert (dle square dzero = true); [|congruence]. rewrite dle_spec, val_zero. lra. }
    cbn [fst snd]. pose proof (dsqrt_up_spec square ltac:(lra)) as U. set (root := dsqrt_up square) in *. pose proof (sqrt_lt_R0 _ S) as Rp.
    destruct pi_enclosed as (Pl & Ph). pose proof pi_low_pos as Plp.
    assert (Rr : 0 < val root) by lra.
    assert (Low : val (ddiv_down square root) <= sqrt (val square)).
    { eapply Rle_trans; [now apply ddiv_down_spec|]. apply Rmult_le_reg_r with (val root); [exact Rr|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      rewrite <- (sqrt_sqrt (val square)) at 1 by lra. apply Rmult_le_compat_l; lra. }
    assert (Hh : 0 < val (dadd pi_high pi_high)) by (rewrite val_add; lra). assert (Hl : 0 < val (dadd pi_low pi_low)) by (rewrite val_add; lra).
    split.
    + eapply Rle_trans; [now apply ddiv_down_spec|]. rewrite val_add in Hh |- *.
      apply Rmult_le_reg_r with ((val pi_high + val pi_high) * (2 * PI)); [apply Rmult_lt_0_compat; lra|].
      replace (val (ddiv_down square root) / (val pi_high + val pi_high) * ((val pi_high + val pi_high) * (2 * PI))) with (val (ddiv_down square root) * (2 * PI)) by (field; lra).
      replace (sqrt (val square) / (2 * PI) * ((val pi_high + val pi_high) * (2 * PI))) with (sqrt (val square) * (val pi_high + val pi_high)) by (field; lra).
      apply Rle_trans with (sqrt (val square) * (2 * PI)); [apply Rmult_le_compat_r; lra | apply Rmult_le_compat_l; lra].
    + eapply Rle_trans; [|now apply ddiv_up_spec]. rewrite val_add in Hl |- *.
      apply Rmult_le_reg_r with ((val pi_low + val pi_low) * (2 * PI)); [apply Rmult_lt_0_compat; lra|].
      replace (val root / (val pi_low + val pi_low) * ((val pi_low + val pi_low) * (2 * PI))) with (val root * (2 * PI)) by (field; lra).
      replace (sqrt (val square) / (2 * PI) * ((val pi_low + val pi_low) * (2 * PI))) with (sqrt (val square) * (val pi_low + val pi_low)) by (field; lra).
      apply Rle_trans with (sqrt (val square) * (2 * PI)); [apply Rmult_le_compat_l; lra | apply Rmult_le_compat_r; lra].
Qed.
Lemma arc_zero r s : dot (point r) (point r) = 0 \/ dot (point s) (point s) = 0 -> arc r s = 0.
Proof.
  intro H. assert (Z : dot (point r) (point s) = 0) by (destruct H as [H|H]; [now apply dot_null | now apply dot_null_r]).
  unfold arc. rewrite Z. replace (dot (point r) (point r) * dot (point s) (point s) - 0 * 0) with 0 by (destruct H as [->| ->]; ring).
  rewrite sqrt_0. unfold Rdiv. ring.
Qed.
Lemma dkernel_spec k factor p q r s : kernel_ok k = true -> 0 < val factor -> is_open_row p r -> is_open_row q s ->
  val (fst (dkernel k factor p q)) <= kernel_at k (val factor) r s <= val (snd (dkernel k factor p q)).
Proof.
  intros K Fp P Q. pose proof P as ((Ep & _) & _). pose proof Q as ((Eq & _) & _). unfold dkernel, kernel_at.
  set (x := dpoint (fst p)) in *. set (z := dpoint (fst q)) in *. set (t := dmul factor (ddot x z)).
  assert (T : val t = val factor * dot (point r) (point s)) by (unfold t; now rewrite val_mul, val_dot, Ep, Eq).
  assert (Pos : forall x, dnull x = false -> 0 < dot (vals x) (vals x)).
  { intros y H. pose proof (dot_self (vals y)). destruct (Req_dec (dot (vals y) (vals y)) 0) as [E|]; [|lra]. apply dnull_iff in E. congruence. }
  assert (Zero : dnull x || dnull z = true -> dot (point r) (point s) = 0 /\ arc r s = 0).
  { intro N. rewrite orb_true_iff, !dnull_iff in N. rewrite <- Ep, <- Eq in N. split; [|now apply arc_zero]. destruct N as [N|N]; [now apply dot_null | now apply dot_null_r]. }
  destruct k as [| |counts M].
  - destruct (dnull x || dnull z) eqn:N; [cbn [fst snd]; rewrite val_zero, (proj1 (Zero eq_refl)); lra|].
    apply orb_false_iff in N as (Np & Nq). pose proof (by_angle_spec t x z (Pos _ Np) (Pos _ Nq)) as H. rewrite T, <- Ep, <- Eq, Rmult_assoc in H. exact H.
  - destruct (dnull x || dnull z) eqn:N; [cbn [fst snd]; rewrite val_zero, (proj1 (Zero eq_refl)), (proj2 (Zero eq_refl)); lra|].
    apply orb_false_iff in N as (Np & Nq). pose proof (by_angle_spec (dadd t t) x z (Pos _ Np) (Pos _ Nq)) as H. pose proof (sine_part_spec x z) as S. cbv zeta in S.
    cbn [fst snd]. rewrite !val_add, !val_mul. rewrite val_add, T, <- Ep, <- Eq in H. rewrite <- Ep, <- Eq in S. unfold arc.
    change ((PI - angle (point r) (point s)) / (2 * PI)) with (half r s) in H. set (root := sqrt _ / (2 * PI)) in *.
    assert (val factor * val (fst (sine_part x z)) <= val factor * root <= val factor * val (snd (sine_part x z))) by (split; apply Rmult_le_compat_l; lra). lra.
  - cbn [kernel_ok] in K. apply andb_true_iff in K as (K & _). apply Z.ltb_lt, IZR_lt in K. cbn [fst snd].
    assert (Mp : 0 < val (dint M)) by (now rewrite val_int).
    pose proof (ddiv_down_spec (dmul t (shared counts p q)) (dint M) Mp) as D. pose proof (ddiv_up_spec (dmul t (shared counts p q)) (dint M) Mp) as U.
    rewrite val_mul, T, val_int in D, U. fold (share counts M r s). rewrite <- (shared_spec counts p q r s M P Q K).
    replace (val factor * (dot (point r) (point s) * (val (shared counts p q) / IZR M))) with (val factor * dot (point r) (point s) * val (shared counts p q) / IZR M) by (unfold Rdiv; ring).
    lra.
Qed.
Lemma half_comm r s : half r s = half s r.
Proof. unfold half. now rewrite dot_comm, (Rmult_comm (norm (point r))). Qed.
Lemma arc_comm r s : arc r s = arc s r.
Proof. unfold arc. now rewrite (dot_comm (point r) (point s)), half_comm, (Rmult_comm (dot (point r) (point r))). Qed.
Lemma kernel_symmetric k factor r s : kernel_at k factor r s = kernel_at k factor s r.
Proof.
  unfold kernel_at. rewrite (dot_comm (point r)), half_comm, arc_comm. f_equal. destruct k; auto. f_equal. apply sum_ext. intros j _. now destruct (opens r j), (opens s j).
Qed.

(* --- forms --- *)

Lemma dot_map {A} (f : A -> R) v l : dot (map f l) v = sum (map (fun q : R * A => fst q * f (snd q)) (combine v l)).
Proof. revert v. induction l as [|a l IH]; intros [|t v]; simpl; auto. rewrite IH. ring. Qed.
Lemma kernel_form_triangle h rows v : (forall r s, h r s = h s r) -> kernel_form h rows v = form (upper_triangle h rows) v.
Proof.
  intro Sy. unfold kernel_form, kernel_row. revert v. induction rows as [|r rows IH]; intros [|t v]; try reflexivity.
  cbn [combine map upper_triangle form fst snd]. rewrite <- IH, dot_map. cbn [sum fold_right].
  fold (sum (map (fun q => fst q * h r (snd q)) (combine v rows))).
  change (fold_right Rplus 0) with sum.
  rewrite (sum_ext (fun p => fst p * sum (fst (t, r) * h (snd p) (snd (t, r)) :: map (fun q => fst q * h (snd p) (snd q)) (combine v rows)))
                   (fun p => t * (fst p * h r (snd p)) + fst p * sum (map (fun q => fst q * h (snd p) (snd q)) (combine v rows)))).
  - rewrite sum_plus, sum_times. ring.
  - intros (c, s) _. cbn [fst snd sum fold_right]. fold (sum (map (fun q => fst q * h s (snd q)) (combine v rows))). rewrite (Sy s r). ring.
Qed.
Lemma dform_val m : forall v, val (dform m v) = form (tri_vals m) (vals v).
Proof.
  induction m as [|[|p r] m IH]; intros [|t v]; cbn [dform tri_vals map vals form]; try apply val_zero.
  rewrite !val_add, !val_mul, val_int, val_dot, IH. fold (vals r) (vals v) (tri_vals m). ring.
Qed.
Definition close (e a b : R) : Prop := Rabs (a - b) <= e.
Lemma dot_close e a b : 0 <= e -> Forall2 (close e) a b -> forall u, Rabs (dot a u - dot b u) <= e * spread u.
Proof.
  intros E F. unfold spread. induction F as [|x y a b H F IH]; intros [|t u]; simpl; try (rewrite Rminus_0_r, Rabs_R0; pose proof (spread_nonneg []); unfold spread in *; simpl in *; try lra).
  - pose proof (spread_nonneg (t :: u)) as S. unfold spread in S. simpl in S. nra.
  - replace (x * t + dot a u - (y * t + dot b u)) with ((x - y) * t + (dot a u - dot b u)) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_mult. specialize (IH u). unfold close in H. pose proof (Rabs_pos t). assert (Rabs (x - y) * Rabs t <= e * Rabs t) by nra. lra.
Qed.
Lemma form_close e a b : 0 <= e -> Forall2 (Forall2 (close e)) a b -> forall u, Rabs (form a u - form b u) <= e * (spread u * spread u).
Proof.
  intros E F. induction F as [|x y a b H F IH]; intros u.
  - simpl. rewrite Rminus_0_r, Rabs_R0. pose proof (spread_nonneg u). nra.
  - destruct H as [|p q x y P H].
    { simpl. rewrite Rminus_0_r, Rabs_R0. pose proof (spread_nonneg u). assert (0 <= spread u * spread u) by nra. nra. }
    destruct u as [|t u]. { simpl. rewrite Rminus_0_r, Rabs_R0. pose proof (spread_nonneg []). assert (0 <= spread [] * spread []) by nra. nra. }
    cbn [form]. specialize (IH u). pose proof (dot_close e x y E H u) as D. unfold close in P.
    replace (p * t * t + 2 * t * dot x u + form a u - (q * t * t + 2 * t * dot y u + form b u)) with ((p - q) * (t * t) + 2 * t * (dot x u - dot y u) + (form a u - form b u)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq 2) by lra.
    change (spread (t :: u)) with (Rabs t + spread u). pose proof (Rabs_pos t) as Tp. pose proof (spread_nonneg u) as Sp.
    assert (A1 : Rabs (p - q) * (Rabs t * Rabs t) <= e * (Rabs t * Rabs t)) by (apply Rmult_le_compat_r; [nra | assumption]).
    assert (A2 : 2 * Rabs t * Rabs (dot x u - dot y u) <= 2 * Rabs t * (e * spread u)) by (apply Rmult_le_compat_l; [lra | assumption]).
    nra.
Qed.
Lemma widest_spec m b p : In b m -> In p b -> val (snd p) - val (fst p) <= val (widest m).
Proof.
  assert (G1 : forall b e, val e <= val (fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e) /\
    forall p : dyadic * dyadic, In p b -> val (snd p) - val (fst p) <= val (fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e)).
  { clear. induction b as [|q b IH]; intro e; simpl; [split; [lra | intros p []]|]. destruct (IH (dmax e (dsub (snd q) (fst q)))) as (A & B).
    rewrite val_max, val_sub in A. pose proof (Rmax_l (val e) (val (snd q) - val (fst q))). pose proof (Rmax_r (val e) (val (snd q) - val (fst q))).
    split; [lra|]. intros p [<-|I]; [lra | auto]. }
  assert (G2 : forall m e, val e <= val (fold_left (fun e b => fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e) m e) /\
    forall b (p : dyadic * dyadic), In b m -> In p b -> val (snd p) - val (fst p) <= val (fold_left (fun e b => fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e) m e)).
  { clear -G1. induction m as [|c m IH]; intro e; simpl; [split; [lra | intros b p []]|].
    destruct (IH (fold_left (fun e p => dmax e (dsub (snd p) (fst p))) c e)) as (A & B). destruct (G1 c e) as (C & D).
    split; [lra|]. intros b p [<-|I] P; [specialize (D p P); lra | eauto]. }
  intros B P. exact (proj2 (G2 m dzero) b p B P).
Qed.
Lemma widest_nonneg m : 0 <= val (widest m).
Proof.
  assert (G1 : forall (b : list (dyadic * dyadic)) e, val e <= val (fold_left (fun e p => dmax e (dsub (snd p) (fst p))) b e)).
  { clear. induction b as [|q b IH]; intro e; simpl; [lra|]. eapply Rle_trans; [|apply IH]. rewrite val_max. apply Rmax_l. }
  unfold widest. rewrite <- val_zero. generalize dzero. induction m as [|b m IH]; intro e; simpl; [lra|]. eapply Rle_trans; [apply G1 | apply IH].
Qed.

Lemma triangle_close k factor e all rows : kernel_ok k = true -> 0 < val factor -> Forall2 is_open_row all rows ->
  (forall b p, In b (upper_triangle (dkernel k factor) all) -> In p b -> val (snd p) - val (fst p) <= e) ->
  Forall2 (Forall2 (close e)) (upper_triangle (kernel_at k (val factor)) rows) (tri_vals (map (map fst) (upper_triangle (dkernel k factor) all))).
Proof.
  intros ok Fp F. induction F as [|p r all rows P F IH]; intro W; [constructor|]. cbn [upper_triangle] in *. unfold tri_vals. rewrite !map_cons.
  constructor; [|apply IH; intros b q B; apply W; now right].
  assert (G : forall l ls, Forall2 is_open_row l ls -> (forall q, In q l -> In (dkernel k factor p q) (map (dkernel k factor p) (p :: all))) ->
    Forall2 (close e) (map (kernel_at k (val factor) r) ls) (vals (map fst (map (dkernel k factor p) l)))).
  { clear -P W ok Fp. intros l ls Fl. induction Fl as [|q s l ls Q Fl IH]; intro Hin; [constructor|]. unfold vals. rewrite !map_cons.
    constructor; [|apply IH; intros; apply Hin; now right].
    pose proof (dkernel_spec k factor p q r s ok Fp P Q) as H. pose proof (W _ _ (or_introl eq_refl) (Hin q (or_introl eq_refl))) as We.
    unfold close. rewrite Rabs_pos_eq; lra. }
  apply (G (p :: all) (r :: rows)); [now constructor|]. intros q Q. now apply in_map.
Qed.
Section Form.
  Variables (k : kernel) (factor : dyadic) (all : list orow) (rows : list row).
  Hypothesis ok : kernel_ok k = true.
  Hypothesis positive : 0 < val factor.
  Hypothesis real : Forall2 is_open_row all rows.
  Let h := kernel_at k (val factor).
  Let m := upper_triangle (dkernel k factor) all.
  Let low := map (map fst) m.

  Lemma low_close : Forall2 (Forall2 (close (val (widest m)))) (upper_triangle h rows) (tri_vals low).
  Proof. apply triangle_close; [exact ok | exact positive | exact real | apply widest_spec]. Qed.
  Lemma low_form v : Rabs (kernel_form h rows v - form (tri_vals low) v) <= val (widest m) * (spread v * spread v).
  Proof.
    rewrite kernel_form_triangle by (intros; apply kernel_symmetric). apply form_close; [apply widest_nonneg | apply low_close].
  Qed.
  Lemma low_shape : tri_shape (length all) low.
  Proof.
    subst low m. clear. induction all as [|p l IH]; [exact I|]. cbn [upper_triangle map tri_shape length]. rewrite !map_length. split; [reflexivity | exact IH].
  Qed.
  Lemma same_length : length all = length rows.
  Proof. clear -real. induction real; simpl; auto. Qed.
End Form.

Lemma nowhere_negative_spec n m : tri_shape n m -> nowhere_negative n m = true -> forall u, (length u <= n)%nat -> 0 <= form (tri_vals m) u.
Proof. unfold nowhere_negative. intros S H. apply andb_true_iff in H as (L & H). apply Nat.eqb_eq in L. now apply tri_definite_spec with (2 := L) (3 := H). Qed.

(* --- sums of squares --- *)

Lemma kernel_form_ext h h' rows v : (forall r s, In r rows -> In s rows -> h r s = h' r s) -> kernel_form h rows v = kernel_form h' rows v.
Proof.
  intro H. unfold kernel_form, kernel_row. apply sum_ext. intros (a, r) I. f_equal. apply sum_ext. intros (b, s) J. simpl. rewrite H; auto; eapply in_combine_r; eauto.
Qed.
Lemma kernel_form_times t h rows v : kernel_form (fun r s => t * h r s) rows v = t * kernel_form h rows v.
Proof.
  unfold kernel_form, kernel_row. rewrite <- sum_times. apply sum_ext. intros (a, r) _. simpl.
  rewrite (sum_ext _ (fun q => t * (fst q * h r (snd q)))) by (intros; ring). rewrite sum_times. ring.
Qed.
Lemma kernel_form_sum {A} (f : A -> row -> row -> R) l rows v :
  kernel_form (fun r s => sum (map (fun j => f j r s) l)) rows v = sum (map (fun j => kernel_form (f j) rows v) l).
Proof.
  unfold kernel_form, kernel_row. rewrite sum_swap. apply sum_ext. intros (a, r) _. cbn [fst snd].
  rewrite (sum_ext (fun q => fst q * sum (map (fun j => f j r (snd q)) l)) (fun q => sum (map (fun j => fst q * f j r (snd q)) l))) by (intros; now rewrite sum_times).
  rewrite sum_swap, <- sum_times. apply sum_ext. intros j _. reflexivity.
Qed.
Lemma square_form (o : row -> R) rows v : 0 <= kernel_form (fun r s => o r * o s * dot (point r) (point s)) rows v.
Proof.
  set (G := total (map (fun p => times (fst p * o (snd p)) (point (snd p))) (combine v rows))).
  assert (D : forall y, dot G y = sum (map (fun p => fst p * o (snd p) * dot (point (snd p)) y) (combine v rows))).
  { intro y. unfold G. rewrite dot_total, map_map. apply sum_ext. intros. apply dot_times. }
  replace (kernel_form _ rows v) with (dot G G); [apply dot_self|]. rewrite D. unfold kernel_form, kernel_row. apply sum_ext. intros (a, r) _. cbn [fst snd].
  rewrite (dot_comm (point r)), D. rewrite <- !sum_times. apply sum_ext. intros (b, s) _. cbn [fst snd]. rewrite (dot_comm (point r)). ring.
Qed.
Definition is_on (r : row) (j : nat) : R := if opens r j then 1 else 0.
Lemma gates_kernel counts M factor r s : kernel_at (FirstLayerGates counts M) factor r s =
  sum (map (fun j => factor * (IZR (nth j counts 0%Z) / IZR M) * (is_on r j * is_on s j * dot (point r) (point s))) (seq 0 (length counts))).
Proof.
  unfold kernel_at. rewrite <- !sum_times. apply sum_ext. intros j _. unfold is_on. destruct (opens r j), (opens s j); ring.
Qed.
Lemma gates_form counts M factor rows v : kernel_ok (FirstLayerGates counts M) = true -> 0 < factor -> 0 <= kernel_form (kernel_at (FirstLayerGates counts M) factor) rows v.
Proof.
  intros K F. cbn [kernel_ok] in K. apply andb_true_iff in K as (K & P). apply Z.ltb_lt, IZR_lt in K. rewrite forallb_forall in P.
  rewrite (kernel_form_ext _ _ rows v (fun r s _ _ => gates_kernel counts M factor r s)), kernel_form_sum. apply sum_nonneg. intros j J. rewrite kernel_form_times.
  apply in_seq in J. apply Rmult_le_pos; [|apply square_form]. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra].
  apply IZR_le. specialize (P (nth j counts 0%Z)). apply Z.leb_le, P, nth_In. lia.
Qed.

(* --- means --- *)

Definition wide_mean (k : kernel) (r s : row) : R := dot (point r) (point s) * half r s + match k with BothLayersWide => arc r s | _ => 0 end.
Definition wide_term (k : kernel) (r s : row) (u : vec) : R :=
  dot (point r) (point s) * (side r u * side s u) + match k with BothLayersWide => relu (dot (point r) u) * relu (dot (point s) u) | _ => 0 end.
Definition is_wide (k : kernel) : bool := match k with FirstLayerGates _ _ => false | _ => true end.
Lemma wide_kernel k factor r s : is_wide k = true -> kernel_at k factor r s = factor * wide_mean k r s.
Proof. unfold kernel_at, wide_mean. destruct k; intro; [ring | ring | discriminate]. Qed.
Lemma has_wide k rows (E : average rows) r s : In r rows -> In s rows -> has rows E (wide_term k r s) (wide_mean k r s).
Proof.
  intros R S. unfold wide_mean. apply (has_plus rows E (fun u => dot (point r) (point s) * (side r u * side s u))); [now apply has_dot_pair|].
  destruct k; try apply has_constant. now apply of_product.
Qed.
Lemma relu_side r u : relu (dot (point r) u) = side r u * dot (point r) u.
Proof. unfold relu, side. destruct (Rlt_dec 0 (dot (point r) u)); [rewrite Rmax_right | rewrite Rmax_left]; lra. Qed.
Lemma product_form (o : row -> R) rows v : 0 <= kernel_form (fun r s => o r * o s) rows v.
Proof.
  set (a := sum (map (fun q => fst q * o (snd q)) (combine v rows))).
  replace (kernel_form (fun r s => o r * o s) rows v) with (a * a); [nra|]. unfold kernel_form, kernel_row.
  rewrite (sum_ext _ (fun p => a * (fst p * o (snd p)))); [now rewrite sum_times|]. intros (t, r) _. cbn [fst snd].
  rewrite (sum_ext _ (fun q => o r * (fst q * o (snd q)))) by (intros; ring). rewrite sum_times. fold a. ring.
Qed.
Lemma kernel_form_plus h h' rows v : kernel_form (fun r s => h r s + h' r s) rows v = kernel_form h rows v + kernel_form h' rows v.
Proof.
  unfold kernel_form, kernel_row. rewrite <- sum_plus. apply sum_ext. intros (a, r) _. cbn [fst snd].
  rewrite <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros; ring.
Qed.
Lemma wide_form k factor rows v : is_wide k = true -> inhabited (average rows) -> 0 < factor -> 0 <= kernel_form (kernel_at k factor) rows v.
Proof.
  intros W [E] F. rewrite (kernel_form_ext _ (fun r s => factor * wide_mean k r s)) by (intros; now apply wide_kernel). rewrite kernel_form_times. apply Rmult_le_pos; [lra|].
  assert (H : has rows E (fun u => kernel_form (fun r s => wide_term k r s u) rows v) (kernel_form (wide_mean k) rows v)).
  { unfold kernel_form, kernel_row. apply (has_sum rows E (fun p u => fst p * sum (map (fun q => fst q * wide_term k (snd p) (snd q) u) (combine v rows)))
      (fun p => fst p * sum (map (fun q => fst q * wide_mean k (snd p) (snd q)) (combine v rows)))).
    intros (t, r) J. cbn [fst snd]. apply has_times. apply in_combine_r in J. apply (has_row rows E (wide_term k r) (wide_mean k r) v). intros s S. now apply has_wide. }
  apply (has_le rows E (fun _ => 0) _ 0 _ (has_constant rows E 0) H). intros u _. unfold wide_term. rewrite kernel_form_plus.
  apply Rplus_le_le_0_compat.
  - rewrite (kernel_form_ext _ (fun r s => side r u * side s u * dot (point r) (point s))) by (intros; ring). apply (square_form (fun r => side r u)).
  - destruct k; try apply (product_form (fun r => relu (dot (point r) u))); rewrite (kernel_form_ext _ (fun r s => (fun _ => 0) r * (fun _ => 0) s)) by (intros; ring); apply product_form.
Qed.

(* --- null vectors --- *)

Lemma combine_sum (f : orow * dyadic -> R) (g : R * row -> R) all rows : Forall2 is_open_row all rows -> forall v,
  (forall p r w, is_open_row p r -> f (p, w) = g (val w, r)) -> sum (map f (combine all v)) = sum (map g (combine (vals v) rows)).
Proof. intro F. induction F as [|p r all rows P F IH]; intros [|w v] H; simpl; auto. rewrite (H p r w P), (IH v H). reflexivity. Qed.
Lemma gate_sum_spec (all : list orow) (rows : list row) (v : list dyadic) (open : orow -> bool) (o : row -> R) y : Forall2 is_open_row all rows -> (forall p r, is_open_row p r -> (if open p then 1 else 0) = o r) ->
  dnull (gate_sum (combine all v) open) = true -> sum (map (fun q => fst q * o (snd q) * dot (point (snd q)) y) (combine (vals v) rows)) = 0.
Proof.
  intros F O N. pose proof (dnull_spec _ y N) as D. unfold gate_sum in D. rewrite dot_dtotal, map_map in D. etransitivity; [|exact D]. symmetry. apply combine_sum; [exact F|].
  intros p r w P. cbn [fst snd]. rewrite <- (O p r P). destruct P as ((-> & _) & _). destruct (open p); [rewrite vals_times, dot_times; ring | simpl; ring].
Qed.

Definition rpar (x z : vec) : bool := if Req_EM_T (dot x z) 0 then false else if Req_EM_T (dot x z * dot x z) (dot x x * dot z z) then true else false.
Lemma rpar_spec x z : rpar x z = true <-> dot x z <> 0 /\ dot x z * dot x z = dot x x * dot z z.
Proof. unfold rpar. destruct (Req_EM_T (dot x z) 0), (Req_EM_T (dot x z * dot x z) (dot x x * dot z z)); split; intro; try discriminate; tauto. Qed.
Lemma same_line_spec x z : same_line x z = rpar (vals x) (vals z).
Proof.
  apply eq_true_iff_eq. rewrite rpar_spec. unfold same_line. rewrite andb_true_iff, negb_true_iff, deq_spec, !val_mul, !val_dot.
  assert (H : deq (ddot x z) dzero = false <-> dot (vals x) (vals z) <> 0).
  { rewrite <- val_dot, <- val_zero, <- deq_spec. destruct (deq (ddot x z) dzero); split; intro; try discriminate; try contradiction; auto. }
  tauto.
Qed.
Lemma rpar_multiple x z : rpar x z = true -> 0 < dot x x /\ forall u, dot z u = dot x z / dot x x * dot x u.
Proof.
  intro H. apply rpar_spec in H as (N & E). pose proof (dot_self x) as P. assert (A : 0 < dot x x).
  { destruct (Req_dec (dot x x) 0) as [Z|]; [|lra]. destruct N. now apply dot_null. }
  split; [exact A|]. now apply parallel.
Qed.
Lemma rpar_sym x z : rpar x z = true -> rpar z x = true.
Proof. rewrite !rpar_spec, (dot_comm z x). intros (N & E). split; [exact N|]. rewrite E. ring. Qed.
Lemma rpar_trans x y z : rpar x y = true -> rpar y z = true -> rpar x z = true.
Proof.
  intros A B. apply rpar_sym in A. destruct (rpar_multiple y x A) as (P & X). destruct (rpar_multiple y z B) as (_ & Z).
  apply rpar_spec in A as (Na & _). apply rpar_spec in B as (Nb & _). apply rpar_spec.
  assert (XZ : dot x z = dot y x / dot y y * dot y z) by apply X. assert (XX : dot x x = dot y x / dot y y * dot y x) by apply X.
  assert (ZZ : dot z z = dot y z / dot y y * dot y z) by apply Z. rewrite XZ, XX, ZZ. split; [|field; lra].
  apply Rmult_integral_contrapositive_currified; [|exact Nb]. apply Rmult_integral_contrapositive_currified; [exact Na | apply Rinv_neq_0_compat; lra].
Qed.
Lemma classes {A} (par : A -> A -> bool) (f : A -> R) (l : list A) :
  (forall a b, par a b = true -> par b a = true) -> (forall a b c, par a b = true -> par b c = true -> par a c = true) ->
  (forall a, In a l -> f a <> 0 -> par a a = true) -> (forall r, In r l -> sum (map (fun a => if par r a then f a else 0) l) = 0) -> sum (map f l) = 0.
Proof.
  intros Sy Tr Re H. set (N := fun a => sum (map (fun r => if par r a then 1 else 0) l)).
  rewrite (sum_ext f (fun a => sum (map (fun r => if par r a then f a / N a else 0) l))).
  - rewrite sum_swap, (sum_ext _ (fun _ => 0)), sum_zero; [reflexivity|]. intros r R.
    rewrite (sum_ext _ (fun a => / N r * (if par r a then f a else 0))); [rewrite sum_times, H by assumption; ring|].
    intros a _. destruct (par r a) eqn:P; [|ring]. replace (N a) with (N r); [unfold Rdiv; ring|]. unfold N. apply sum_ext. intros s _.
    replace (par s a) with (par s r); [reflexivity|]. apply eq_true_iff_eq. split; intro Q; [exact (Tr s r a Q P) | exact (Tr s a r Q (Sy r a P))].
  - intros a I. rewrite (sum_ext _ (fun r => f a / N a * (if par r a then 1 else 0))) by (intros r _; destruct (par r a); ring). rewrite sum_times. fold (N a).
    destruct (Req_dec (f a) 0) as [->|Z]; [unfold Rdiv; ring|]. assert (0 < N a); [|field; lra]. specialize (Re a I Z). unfold N.
    assert (G : forall m, In a m -> 0 < sum (map (fun r => if par r a then 1 else 0) m)).
    { clear -Re. assert (G0 : forall m, 0 <= sum (map (fun r => if par r a then 1 else 0) m)) by (intro m; apply sum_nonneg; intros r _; destruct (par r a); lra).
      induction m as [|b m IH]; [intros []|]. intros [->|I]; cbn [map sum fold_right]; fold (sum (map (fun r => if par r a then 1 else 0) m)).
      - rewrite Re. specialize (G0 m). lra.
      - specialize (IH I). destruct (par b a); lra. }
    now apply G.
Qed.

Lemma null_wide (all : list orow) (rows : list row) (v : list dyadic) u y : Forall2 is_open_row all rows -> check_null FirstLayerWide (combine all v) = true -> off rows u ->
  sum (map (fun q => fst q * side (snd q) u * dot (point (snd q)) y) (combine (vals v) rows)) = 0.
Proof.
  intros F C O. cbn [check_null] in C. apply andb_true_iff in C as (Z & B). rewrite forallb_forall in B.
  pose proof (gate_sum_spec all rows v (fun _ => true) (fun _ => 1) y F (fun _ _ _ => eq_refl) Z) as S.
  set (sg := fun r => if Rlt_dec 0 (dot (point r) u) then 1 else -1). set (l := combine (vals v) rows) in *.
  assert (T : sum (map (fun q => fst q * sg (snd q) * dot (point (snd q)) y) l) = 0).
  { apply (classes (fun a b => rpar (point (snd a)) (point (snd b)))).
    - intros a b. apply rpar_sym.
    - intros a b c. apply rpar_trans.
    - intros (t, r) _ H. cbn [fst snd] in *. apply rpar_spec. split; [|reflexivity]. intro Q. apply H. rewrite (dot_null _ y Q). ring.
    - intros (t, r) I. cbn [fst snd].
      assert (Bal : sum (map (fun a => if rpar (point r) (point (snd a)) then fst a * Rabs (dot (point r) (point (snd a))) else 0) l) = 0).
      { assert (Ex : exists p w, In (p, w) (combine all v) /\ is_open_row p r).
        { clear -F I. subst l. revert v I. induction F as [|p s all rows P F IH]; intros [|w v] I; simpl in I; try tauto.
          destruct I as [I|I]; [injection I as _ <-; exists p, w; simpl; auto|]. destruct (IH v I) as (q & z & J & Q). exists q, z. simpl. auto. }
        destruct Ex as (p & w & J & P). specialize (B _ J). unfold balanced in B. cbn [fst snd] in B. rewrite deq_spec, val_zero, val_sum in B. unfold vals at 1 in B. rewrite map_map in B.
        etransitivity; [|exact B]. symmetry. unfold l.
        apply (combine_sum (fun q => val (if same_line (dpoint (fst p)) (dpoint (fst (fst q))) then dmul (snd q) (dabs (ddot (dpoint (fst p)) (dpoint (fst (fst q))))) else dzero))); [exact F|]. intros p' r' w' P'. cbn [fst snd]. destruct P as ((-> & _) & _). destruct P' as ((-> & _) & _).
        rewrite same_line_spec. destruct (rpar _ _); [now rewrite val_mul, val_abs, val_dot | apply val_zero]. }
      rewrite (sum_ext _ (fun a => sg r * dot (point r) y / dot (point r) (point r) * (if rpar (point r) (point (snd a)) then fst a * Rabs (dot (point r) (point (snd a))) else 0))).
      { rewrite sum_times, Bal. ring. }
      intros (w, s) J. cbn [fst snd]. destruct (rpar (point r) (point s)) eqn:P; [|ring]. destruct (rpar_multiple _ _ P) as (Rp & M).
      apply rpar_spec in P as (N & _). assert (In_r : In r rows) by (eapply in_combine_r; exact I).
      assert (Ou : dot (point r) u <> 0) by (apply O; [exact In_r | lra]).
      assert (Ms : dot (point s) u * dot (point r) (point r) = dot (point r) (point s) * dot (point r) u) by (rewrite (M u); field; lra).
      rewrite (M y).
      assert (Sg : sg s * dot (point r) (point s) = sg r * Rabs (dot (point r) (point s))).
      { unfold sg. unfold Rabs. destruct (Rcase_abs (dot (point r) (point s))), (Rlt_dec 0 (dot (point s) u)), (Rlt_dec 0 (dot (point r) u)); try ring; exfalso; nra. }
      replace (w * sg s * (dot (point r) (point s) / dot (point r) (point r) * dot (point r) y)) with (w * (sg s * dot (point r) (point s)) * dot (point r) y / dot (point r) (point r)) by (field; lra).
      rewrite Sg. field. lra. }
  assert (D : 2 * sum (map (fun q => fst q * side (snd q) u * dot (point (snd q)) y) l) =
              sum (map (fun q => fst q * 1 * dot (point (snd q)) y) l) + sum (map (fun q => fst q * sg (snd q) * dot (point (snd q)) y) l)).
  { rewrite <- sum_times, <- sum_plus. apply sum_ext. intros (t, r) _. cbn [fst snd]. unfold side, sg. destruct (Rlt_dec 0 _); ring. }
  lra.
Qed.
Lemma null_row k factor all rows v r : Forall2 is_open_row all rows -> match k with FirstLayerGates _ _ => True | _ => inhabited (average rows) end ->
  check_null k (combine all v) = true -> In r rows -> kernel_row (kernel_at k factor) rows (vals v) r = 0.
Proof.
  intros F Dr C R. destruct (is_wide k) eqn:W.
  - assert (I : inhabited (average rows)) by (destruct k; [exact Dr | exact Dr | discriminate]). destruct I as [E].
    assert (Cw : check_null FirstLayerWide (combine all v) = true) by (destruct k; [exact C | exact C | discriminate]).
    assert (H : has rows E (fun u => sum (map (fun q => fst q * wide_term k r (snd q) u) (combine (vals v) rows))) (sum (map (fun q => fst q * wide_mean k r (snd q)) (combine (vals v) rows)))).
    { apply (has_row rows E (wide_term k r) (wide_mean k r) (vals v)). intros s S. now apply has_wide. }
    unfold kernel_row. rewrite (sum_ext _ (fun q => factor * (fst q * wide_mean k r (snd q)))) by (intros; rewrite wide_kernel by exact W; ring). rewrite sum_times.
    rewrite (has_unique rows E (fun _ => 0) (sum (map (fun q => fst q * wide_mean k r (snd q)) (combine (vals v) rows))) 0); [ring | | apply has_constant].
    apply (has_off rows E _ _ _ H). intros u O. pose proof (null_wide all rows v u (point r) F Cw O) as N1. pose proof (null_wide all rows v u u F Cw O) as N2.
    rewrite (sum_ext _ (fun q => side r u * (fst q * side (snd q) u * dot (point (snd q)) (point r)) +
                                 match k with BothLayersWide => relu (dot (point r) u) * (fst q * side (snd q) u * dot (point (snd q)) u) | _ => 0 end)).
    + rewrite sum_plus, sum_times, N1. destruct k; rewrite ?sum_times, ?sum_zero, ?N2; ring.
    + intros (t, s) _. cbn [fst snd]. unfold wide_term. rewrite (dot_comm (point r) (point s)). destruct k; rewrite ?(relu_side s); ring.
  - destruct k as [| |counts M]; try discriminate.
    unfold kernel_row. cbn [check_null] in C. rewrite forallb_forall in C.
    rewrite (sum_ext _ (fun q => sum (map (fun j => factor * (IZR (nth j counts 0%Z) / IZR M) * is_on r j * (fst q * is_on (snd q) j * dot (point (snd q)) (point r))) (seq 0 (length counts))))).
    2: { intros (t, s) _. cbn [fst snd]. rewrite gates_kernel, <- sum_times. apply sum_ext. intros j _. rewrite (dot_comm (point s)). ring. }
    rewrite sum_swap, (sum_ext _ (fun _ => 0)), sum_zero; [reflexivity|]. intros j J. rewrite sum_times.
    rewrite (gate_sum_spec all rows v (fun p => snd p j) (fun r => is_on r j) (point r) F); [ring | | now apply C]. intros p s (_ & P). unfold is_on. now rewrite P.
Qed.

Lemma within a e : Rabs a <= e -> - e <= a <= e.
Proof. unfold Rabs. destruct (Rcase_abs a); lra. Qed.
Theorem check_spectrum_sound k factor which g rows v U L high low : check_spectrum k factor which (opened g 0 rows) v U L = Some (high, low) ->
  forall free d, claim_holds free d g (real_rows g 0 rows) (Spectrum k factor which high low).
Proof.
  unfold check_spectrum. set (all := opened g 0 rows). set (rs := real_rows g 0 rows). intros H free d.
  destruct (kernel_ok k && dlt dzero factor && Nat.eqb (length v) (length all) && dlt dzero (ddot v v)) eqn:C; [|discriminate]. cbn [negb] in H.
  rewrite !andb_true_iff, Nat.eqb_eq, !dlt_spec, val_zero, val_dot in C. destruct C as (((K & Fp) & Lv) & Vp).
  assert (F : Forall2 is_open_row all rs) by apply opened_spec.
  pose proof (same_length all rs F) as Ln. cbn [claim_holds].
  set (m := upper_triangle (dkernel k factor) all) in H. set (lows := map (map fst) m) in H. set (e := widest m) in H.
  assert (Cl : forall u, Rabs (kernel_form (kernel_at k (val factor)) rs u - form (tri_vals lows) u) <= val e * (spread u * spread u)) by (intro u; now apply low_form).
  pose proof (low_shape k factor all) as Sh. fold m lows in Sh.
  assert (En : 0 <= val e) by apply widest_nonneg.
  assert (Vm : val (dform lows v) = form (tri_vals lows) (vals v)) by apply dform_val.
  assert (Vs : val (dsum (map dabs v)) = spread (vals v)).
  { rewrite val_sum. unfold spread, vals. rewrite !map_map. apply sum_ext. intros. apply val_abs. }
  assert (Lost : forall u : vec, length u = length rs -> val e * (spread u * spread u) <= val (dmul (dint (Z.of_nat (length all))) e) * dot u u).
  { intros u Lu. rewrite val_mul, val_int, <- INR_IZR_INZ, Ln, <- Lu. pose proof (spread_square u). nra. }
  assert (Vv : length (vals v) = length rs) by (rewrite vals_length; congruence).
  specialize (Cl (vals v)) as Cv. destruct which.
  - destruct (dle _ U && _) eqn:Q; [|discriminate]. injection H as <- <-. apply andb_true_iff in Q as (_ & Q). split.
    + exists (vals v). split; [exact Vv|]. split; [exact Vp|]. set (high := ddiv_up _ _). pose proof (double_up_spec high) as D.
      assert (Hh : (form (tri_vals lows) (vals v) + val e * (spread (vals v) * spread (vals v))) / dot (vals v) (vals v) <= val high).
      { unfold high. eapply Rle_trans; [|apply ddiv_up_spec; rewrite val_dot; exact Vp]. rewrite val_add, !val_mul, val_dot, Vm, Vs. lra. }
      apply Rmult_le_compat_r with (r := dot (vals v) (vals v)) in Hh; [|lra]. unfold Rdiv in Hh. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hh by lra.
      apply within in Cv. nra.
    + intros Pre u Lu. destruct (dlt dzero L) eqn:Lp.
      * cbn [negb orb] in Q. pose proof (double_down_spec L) as D. pose proof (dot_self u) as Du.
        pose proof (nowhere_negative_spec _ _ (shape_plus _ _ _ (shape_diagonal _ _) Sh) Q u ltac:(lia)) as N.
        rewrite (form_plus _ _ _ u (shape_diagonal _ _) Sh), form_diagonal, val_neg, val_add in N by lia.
        specialize (Cl u). specialize (Lost u Lu). apply within in Cl. nra.
      * rewrite val_zero, Rmult_0_l. destruct Pre as [Pre|Pre]; [rewrite val_zero in Pre; lra|]. destruct k; [now apply wide_form | now apply wide_form | now apply gates_form].
  - destruct (dle L _ && _) eqn:Q; [|discriminate]. injection H as <- <-. apply andb_true_iff in Q as (_ & Q). split.
    + exists (vals v). split; [exact Vv|]. split; [exact Vp|]. set (least := ddiv_down _ _). pose proof (double_down_spec least) as D.
      assert (Hh : val least <= (form (tri_vals lows) (vals v) - val e * (spread (vals v) * spread (vals v))) / dot (vals v) (vals v)).
      { unfold least. eapply Rle_trans; [apply ddiv_down_spec; rewrite val_dot; exact Vp|]. rewrite val_sub, !val_mul, val_dot, Vm, Vs. lra. }
      apply Rmult_le_compat_r with (r := dot (vals v) (vals v)) in Hh; [|lra]. unfold Rdiv in Hh. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hh by lra.
      apply within in Cv. nra.
    + intros u Lu. pose proof (double_up_spec U) as D. pose proof (dot_self u) as Du.
      pose proof (shape_times _ (dint (-1)) _ Sh) as St.
      pose proof (nowhere_negative_spec _ _ (shape_plus _ _ _ (shape_diagonal _ _) St) Q u ltac:(lia)) as N.
      rewrite (form_plus _ _ _ u (shape_diagonal _ _) St), form_diagonal, form_times, val_sub, val_int in N by lia.
      specialize (Cl u). specialize (Lost u Lu). apply within in Cl. nra.
  - destruct (check_null k (combine all v) && dle dzero U && dle L dzero) eqn:Q; [|discriminate]. injection H as <- <-. rewrite !andb_true_iff in Q. destruct Q as ((Q & _) & _).
    intro Dr. split; [intros u _; destruct k; [now apply wide_form | now apply wide_form | now apply gates_form]|].
    exists (vals v). split; [exact Vv|]. split; [exact Vp|]. intros r R. now apply null_row with (all := all).
Qed.
