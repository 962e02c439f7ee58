(* SPDX-License-Identifier: Apache-2.0 *)
(* Claims of training (docs/reference/certificate.md, Sections 3 and 4): the listed network above, a dual point below. *)
From Coq Require Import ZArith Reals List Lra Lia Bool.
From Fathom Require Import Numbers Data Statement Linear Vectors Rows Logs Cones Duality Tree Prices Plane Cover Orthant.
Import ListNotations.

(* --- rows with their gates --- *)

Definition dopen (g : gates) (x : list dyadic) (i j : nat) : bool :=
  match g with
  | Orientations l => dlt dzero (ddot x (nth j l []))
  | Patterns l => nth i (nth j l []) false
  end.
Definition orow := (drow * (nat -> bool))%type.
Fixpoint opened (g : gates) (i : nat) (l : list drow) : list orow :=
  match l with [] => [] | r :: rest => (r, dopen g (dpoint r) i) :: opened g (S i) rest end.
Definition is_open_row (p : orow) (r : row) : Prop := is_row (fst p) r /\ forall j, snd p j = opens r j.

(* --- networks --- *)

Record dneuron := DNeuron { douter : list dyadic; dinner : list dyadic; dshift : dyadic }.
Record dgated := DGated { dgate : nat; dmaps : list (list dyadic) }.
Inductive dnetwork := Relu (l : list dneuron) (c : list dyadic) | OnGates (l : list dgated) (c : list dyadic).
Definition dtotal_right (l : list (list dyadic)) : list dyadic := fold_right dplus [] l.
Definition drelu (t : dyadic) := dmax dzero t.
Definition doutput (f : dnetwork) (p : orow) : list dyadic :=
  match f with
  | Relu l c => dplus c (dtotal_right (map (fun j => dtimes (drelu (dadd (ddot (dinner j) (dpoint (fst p))) (dshift j))) (douter j)) l))
  | OnGates l c => dplus c (dtotal_right (map (fun j => if snd p (dgate j) then map (fun w => ddot w (dpoint (fst p))) (dmaps j) else []) l))
  end.
Definition dpenalty (f : dnetwork) : dyadic :=
  match f with
  | Relu l _ => dsum (map (fun j => dmul (dsqrt_up (ddot (douter j) (douter j))) (dsqrt_up (ddot (dinner j) (dinner j)))) l)
  | OnGates l _ => dsum (map (fun j => dsqrt_up (dsum (map (fun w => ddot w w) (dmaps j)))) l)
  end.
Definition dlisted (f : dnetwork) : nat := match f with Relu l _ => length l | OnGates l _ => length l end.
Definition real_neuron (j : dneuron) := Neuron (vals (douter j)) (vals (dinner j)) (val (dshift j)).
Definition real_gated (j : dgated) := Gated (dgate j) (map vals (dmaps j)).
Definition real_network (l : list dneuron) (c : list dyadic) := Network (map real_neuron l) (vals c).
Definition real_gated_network (l : list dgated) (c : list dyadic) := GatedNetwork (map real_gated l) (vals c).

(* --- losses --- *)

Definition dentry (a : list dyadic) := nth 0 a dzero.
Definition dmiss (f y : list dyadic) := dplus f (dtimes (dint (-1)) y).
Definition dloss_at (l : loss) (f y : list dyadic) : dyadic :=
  let r := dsub (dentry y) (dentry f) in
  match l with
  | Squared => dhalf (ddot (dmiss f y) (dmiss f y))
  | Hinge => dmax dzero (dsub done (ddot y f))
  | Huber D => if dle (dabs r) D then dhalf (dmul r r) else dsub (dmul D (dabs r)) (dhalf (dmul D D))
  | Absolute => dabs r
  | Quantile T => dmax (dmul T r) (dmul (dsub T done) r)
  | Equality _ | Margin => dzero
  | Logistic => lse_up [dneg (ddot y f); dzero]
  | Softmax => dsub (lse_up (map (fun k => nth k f dzero) (seq 0 (length y)))) (ddot y f)
  end.
Definition dallowed (l : loss) (f y : list dyadic) : bool :=
  match l with
  | Equality r => dle dzero r && forallb (fun e => dle (dabs e) r) (dmiss f y)
  | Margin => dle done (ddot y f)
  | _ => true
  end.
Definition is_share (y : list dyadic) : bool := forallb (fun a => dle dzero a) y && deq (dsum y) done.
Definition suits (l : loss) (rows : list drow) : bool :=
  match l with
  | Hinge | Margin | Logistic => signs rows
  | Softmax => forallb (fun r => is_share (dtarget r)) rows
  | Huber D => dlt dzero D && forallb (fun r => Nat.eqb (length (dtarget r)) 1) rows
  | Quantile T => dlt dzero T && dlt T done && forallb (fun r => Nat.eqb (length (dtarget r)) 1) rows
  | Absolute => forallb (fun r => Nat.eqb (length (dtarget r)) 1) rows
  | Squared | Equality _ => true
  end.

(* - c l*(-w / c) from below, w in its domain; without what the residual takes. *)
Definition dual_term (l : loss) (y : list dyadic) (c : dyadic) (w : list dyadic) : option dyadic :=
  let yw := ddot y w in
  let t := dentry w in
  let given (holds : bool) (a : dyadic) := if holds then Some a else None in
  match l with
  | Squared => Some (dsub yw (ddiv_up (ddot w w) (dadd c c)))
  | Hinge => given (dle dzero yw && dle yw c) yw
  | Huber D => given (dle (dneg (dmul c D)) t && dle t (dmul c D)) (dsub yw (ddiv_up (dmul t t) (dadd c c)))
  | Absolute => given (dle (dneg c) t && dle t c) yw
  | Quantile T => given (dle (dmul c (dsub T done)) t && dle t (dmul c T)) yw
  | Equality _ => Some yw
  | Margin => given (dle dzero yw) yw
  | Logistic => given (dle dzero yw && dle yw c) (dadd (entropy_down c yw) (entropy_down c (dsub c yw)))
  | Softmax =>
      let z := dplus (dtimes c y) (dtimes (dint (-1)) w) in
      given (forallb (fun a => dle dzero a) z && deq (dsum w) dzero) (dsum (map (entropy_down c) z))
  end.
Definition slack (l : loss) (w : list dyadic) : dyadic :=
  match l with Equality r => dmul r (dsum (map dabs w)) | _ => dzero end.

Fixpoint dual_terms (l : loss) (rows : list drow) (ws : list (list dyadic)) : option (list (dyadic * dyadic)) :=
  match rows, ws with
  | r :: rows, w :: ws =>
      match dual_term l (dtarget r) (dweight r) w, dual_terms l rows ws with
      | Some a, Some more => Some ((a, slack l w) :: more)
      | _, _ => None
      end
  | [], [] => Some []
  | _, _ => None
  end.

(* --- evidence of prices --- *)

Definition gate_vector (k q : nat) (rows : list (orow * list dyadic)) : list dyadic :=
  dtotal (map (fun p : orow * list dyadic => if snd (fst p) k then dtimes (nth q (snd p) dzero) (dpoint (fst (fst p))) else []) rows).
Definition gated_price (k o : nat) (rows : list (orow * list dyadic)) : dyadic :=
  dsum (map (fun q => let G := gate_vector k q rows in ddot G G) (seq 0 o)).
(* Multipliers mu >= 0 of rows i, times s: the sum of mu_i e_i x_i. *)
Fixpoint push (k : nat) (s : dyadic) (rows : list orow) (l : list (Z * dyadic)) : option (list (list dyadic)) :=
  match l with
  | [] => Some []
  | (i, mu) :: rest =>
      match znth i rows, push k s rows rest with
      | Some p, Some more => if dle dzero mu then Some (dtimes (dmul s (if snd p k then mu else dneg mu)) (dpoint (fst p)) :: more) else None
      | _, _ => None
      end
  end.
Definition relu_price (k q : nat) (sigma : dyadic) (s : dyadic) (rows : list orow) (ws : list (list dyadic)) (l : list (Z * dyadic))
  : option dyadic :=
  match push k s rows l with
  | Some more => let G := dplus (dtimes sigma (gate_vector k q (combine rows ws))) (dtotal more) in Some (ddot G G)
  | None => None
  end.
Definition at_most (limit : dyadic) (a : option dyadic) : bool := match a with Some a => dle a limit | None => false end.
(* For every gate, and for every output of it, multipliers for both signs. *)
Definition pushes := list (list (list (Z * dyadic) * list (Z * dyadic))).
Fixpoint output_prices (k q : nat) (limit s : dyadic) (rows : list orow) (ws : list (list dyadic)) (l : list (list (Z * dyadic) * list (Z * dyadic))) : bool :=
  match l with
  | [] => true
  | (up, down) :: rest =>
      at_most limit (relu_price k q done s rows ws up) && at_most limit (relu_price k q (dint (-1)) s rows ws down) &&
      output_prices k (S q) limit s rows ws rest
  end.
Fixpoint relu_prices (o k : nat) (limit s : dyadic) (rows : list orow) (ws : list (list dyadic)) (l : pushes) : bool :=
  match l with
  | [] => true
  | gate :: rest => Nat.eqb (length gate) o && output_prices k 0 limit s rows ws gate && relu_prices o (S k) limit s rows ws rest
  end.
Fixpoint dfeeds_one (w : list dyadic) : bool :=
  match w with [] => true | a :: w => if Z.eqb (mantissa a) 0 then dfeeds_one w else dnull w end.
Definition neuron_in_cone (m : nat) (rows : list orow) (j : dneuron) : bool :=
  let inner := map (fun p : orow => (ddot (dpoint (fst p)) (dinner j), snd p)) rows in
  existsb (fun k => forallb (fun q : dyadic * (nat -> bool) => if snd q k then dle dzero (fst q) else dle (fst q) dzero) inner) (seq 0 m).

(* --- the check --- *)

Inductive lower_side :=
  | Without
  | WithGates (all : bool) (s : dyadic) (ws : list (list dyadic)) (l : pushes) (* all: these are all cones *)
  | WithTrees (s : dyadic) (vs : list (list dyadic)) (m : list dyadic) (line : option (list dyadic * list dyadic)) (l : list direction) (h : combination)
  | WithPlane (s : dyadic) (vs : list (list dyadic)) (line : option (list dyadic * list dyadic))
  | WithOrthant (s : dyadic) (vs : list (list dyadic)) (w : list dyadic).
Definition evidence_of (p : lower_side) : evidence :=
  match p with Without => NoBound | WithGates all _ _ _ => if all then ByCones else ByGates | _ => ByTrees end.
Definition scaled_by (s : dyadic) (vs : list (list dyadic)) : list (list dyadic) := map (dtimes s) vs.
Definition is_gated (f : dnetwork) : bool := match f with Relu _ _ => false | OnGates _ _ => true end.
Definition network_ok (o d m : nat) (free in_cones single : bool) (rows : list orow) (f : dnetwork) : bool :=
  match f with
  | Relu l c => forallb (fun j => Nat.eqb (length (douter j)) o && Nat.eqb (length (dinner j)) d && (free || deq (dshift j) dzero)) l &&
                Nat.leb (length c) o && (free || Nat.eqb (length c) 0) && (negb in_cones || forallb (neuron_in_cone m rows) l) &&
                (negb single || forallb (fun j => dfeeds_one (douter j)) l)
  | OnGates l c => forallb (fun j => Nat.ltb (dgate j) m && Nat.eqb (length (dmaps j)) o && forallb (fun w => Nat.eqb (length w) d) (dmaps j)) l &&
                   Nat.leb (length c) o && (free || Nat.eqb (length c) 0)
  end.
Definition sums_vanish (o : nat) (ws : list (list dyadic)) : bool :=
  forallb (fun q => deq (dsum (map (fun w => nth q w dzero) ws)) dzero) (seq 0 o).
Definition dual_ok (free : bool) (o n : nat) (s : dyadic) (vs : list (list dyadic)) : bool :=
  dle dzero s && forallb (fun w => Nat.eqb (length w) o) vs && Nat.eqb (length vs) n && (negb free || sums_vanish o vs).
Definition prices_ok (gated free : bool) (o d m : nat) (edge : dyadic) (rows : list orow) (p : lower_side) : bool :=
  match p with
  | Without => true
  | WithGates _ s ws l =>
      dle dzero s && forallb (fun w => Nat.eqb (length w) o) ws &&
      if gated then (negb free || sums_vanish o ws) &&
                    forallb (fun k => dle (gated_price k o (combine rows ws)) (dmul edge edge)) (seq 0 m)
      else negb free && Nat.eqb (length l) m && relu_prices o 0 (dmul edge edge) s rows ws l
  | WithTrees s vs m line l h =>
      let xs := map (fun q : orow => dpoint (fst q)) rows in
      negb gated && dual_ok free o (length rows) s vs &&
      match outputs_bound (Setting free d m line xs) o vs l h with Some L => dle (dmul (dmul s s) L) (dmul edge edge) | None => false end
  | WithPlane s vs line =>
      let xs := map (fun q : orow => dpoint (fst q)) rows in
      negb gated && Nat.eqb o 1 && dual_ok free o (length rows) s vs && exact_ok free d line xs (map (fun w => dmul s (dentry w)) vs) edge
  | WithOrthant s vs w =>
      negb gated && negb free && dual_ok free o (length rows) s vs && orthant_ok s edge (map (fun q : orow => dpoint (fst q)) rows) vs w
  end.
(* What is proved below: claimed, and shown. *)
Definition proved_below (l : loss) (N : dyadic) (rows : list drow) (p : lower_side) : option (dyadic * dyadic) :=
  let by_dual ws :=
    match dual_terms l rows ws with
    | Some terms =>
        let D := dsum (map fst terms) in
        Some (ddiv_down D N, dmax dzero (double_down (ddiv_down (dsub D (dsum (map snd terms))) N)))
    | None => None
    end in
  match p with
  | Without => Some (dzero, dzero)
  | WithGates _ _ ws _ => by_dual ws
  | WithTrees s vs _ _ _ _ | WithPlane s vs _ | WithOrthant s vs _ => by_dual (scaled_by s vs)
  end.
Definition outputs_of (rows : list drow) : nat := match rows with r :: _ => length (dtarget r) | [] => O end.
Definition check_train (g : gates) (free : bool) (d : nat) (rows : list drow) (l : loss) (N beta : dyadic) (f : dnetwork)
  (p : lower_side) (claimed : dyadic * dyadic) : option (dyadic * dyadic) :=
  let o := outputs_of rows in
  let m := gate_count g in
  let all := opened g 0 rows in
  let loss := dsum (map (fun q : orow => dmul (dweight (fst q)) (dloss_at l (doutput f q) (dtarget (fst q)))) all) in
  let above := dadd (ddiv_up loss N) (dmul beta (dpenalty f)) in
  if dlt dzero N && dlt dzero beta && forallb (fun r => Nat.eqb (length (dtarget r)) o && dlt dzero (dweight r)) rows && suits l rows &&
     network_ok o d m free (match p with WithGates false _ _ _ => true | _ => false end) (match p with WithGates _ _ _ _ => true | _ => false end) all f &&
     (match p with
      | WithGates true _ _ _ => cones_ok d g rows
      | WithTrees _ _ _ _ _ h => negb (by_differences h) || match l with Softmax => true | _ => false end
      | _ => true
      end) &&
     forallb (fun q : orow => dallowed l (doutput f q) (dtarget (fst q))) all &&
     dle above (fst claimed) && prices_ok (is_gated f) free o d m (dmul N beta) all p
  then match proved_below l N rows p with
       | Some (low, shown) => if dle (snd claimed) low then Some (double_up above, shown) else None
       | None => None
       end
  else None.

(* --- what these functions compute --- *)
Open Scope R_scope.

Lemma dopen_spec g x i j : dopen g x i j = is_open g (vals x) i j.
Proof.
  destruct g as [l|l]; simpl; [|reflexivity]. fold (vals (nth j l [])).
  destruct (Rlt_dec 0 (dot (vals x) (vals (nth j l [])))) as [H|H].
  - apply dlt_spec. now rewrite val_zero, val_dot.
  - destruct (dlt _ _) eqn:E; [|reflexivity]. apply dlt_spec in E. rewrite val_zero, val_dot in E. contradiction.
Qed.
Lemma opened_spec g i l : Forall2 is_open_row (opened g i l) (real_rows g i l).
Proof.
  revert i. induction l as [|r l IH]; intro i; simpl; constructor; auto. split; [now repeat split|]. intro j. simpl. apply dopen_spec.
Qed.
Lemma opened_fst g i l : map fst (opened g i l) = l.
Proof. revert i. induction l as [|r l IH]; intro i; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma vals_total_right l : vals (dtotal_right l) = total (map vals l).
Proof. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite vals_plus, IH. Qed.
Lemma doutput_relu l c p r : is_open_row p r -> vals (doutput (Relu l c) p) = output (real_network l c) r.
Proof.
  intros ((P & _) & _). simpl. rewrite vals_plus, vals_total_right. unfold output. simpl. f_equal. f_equal. rewrite !map_map. apply map_ext.
  intro j. simpl. rewrite vals_times. unfold drelu. now rewrite val_max, val_zero, val_add, val_dot, P.
Qed.
Lemma doutput_gated l c p r : is_open_row p r -> vals (doutput (OnGates l c) p) = gated_output (real_gated_network l c) r.
Proof.
  intros ((P & _) & O). simpl. rewrite vals_plus, vals_total_right. unfold gated_output. simpl. f_equal. f_equal. rewrite !map_map. apply map_ext.
  intro j. simpl. rewrite (O (dgate j)). destruct (opens r (dgate j)); [|reflexivity]. unfold vals at 1. rewrite !map_map. apply map_ext.
  intro w. now rewrite val_dot, P.
Qed.
Lemma dpenalty_relu l c : penalty (real_network l c) <= val (dpenalty (Relu l c)).
Proof.
  simpl. rewrite val_sum. unfold penalty, vals. simpl. rewrite !map_map. apply sum_le. intros j _. simpl. rewrite val_mul.
  apply Rmult_le_compat; try apply norm_nonneg; apply dnorm_spec.
Qed.
Lemma dpenalty_gated l c : gated_penalty (real_gated_network l c) <= val (dpenalty (OnGates l c)).
Proof.
  simpl. rewrite val_sum. unfold gated_penalty, vals. simpl. rewrite !map_map. apply sum_le. intros j _. simpl. fold vals.
  assert (E : sum (map (fun w => dot w w) (map vals (dmaps j))) = val (dsum (map (fun w => ddot w w) (dmaps j)))).
  { rewrite val_sum. unfold vals at 2. rewrite !map_map. apply sum_ext. intros w _. now rewrite val_dot. }
  rewrite E. apply dsqrt_up_spec. rewrite <- E. apply sum_nonneg. intros w _. apply dot_self.
Qed.

Lemma forall2_in {A B} (R : A -> B -> Prop) l m a : Forall2 R l m -> In a l -> exists b, In b m /\ R a b.
Proof. induction 1 as [|p q l m H F IH]; simpl; [tauto|]. intros [->|I]; [eauto|]. destruct (IH I) as (b & J & K). eauto. Qed.
Lemma forall2_in_r {A B} (R : A -> B -> Prop) l m b : Forall2 R l m -> In b m -> exists a, In a l /\ R a b.
Proof. induction 1 as [|p q l m H F IH]; simpl; [tauto|]. intros [->|I]; [eauto|]. destruct (IH I) as (a & J & K). eauto. Qed.

Lemma dentry_spec a : val (dentry a) = entry (vals a).
Proof. unfold dentry, entry. now rewrite vals_nth. Qed.
Lemma dmiss_spec f y : vals (dmiss f y) = plus (vals f) (times (-1) (vals y)).
Proof. unfold dmiss. now rewrite vals_plus, vals_times, val_int. Qed.
Lemma dloss_spec l f y : (l = Softmax -> y <> []) -> loss_at l (vals f) (vals y) <= val (dloss_at l f y).
Proof.
  intro Ne. destruct l; cbn [dloss_at loss_at].
  1-7: apply Req_le; symmetry.
  - now rewrite val_half, val_dot, dmiss_spec.
  - now rewrite val_max, val_zero, val_sub, val_one, val_dot.
  - unfold huber. rewrite <- !dentry_spec, <- val_sub, <- val_abs. destruct (dle _ D) eqn:E.
    + apply dle_spec in E. destruct (Rle_dec _ _); [|contradiction]. now rewrite val_half, val_mul.
    + destruct (Rle_dec _ _) as [H|H]; [apply dle_spec in H; congruence|]. now rewrite val_sub, val_half, !val_mul.
  - now rewrite val_abs, val_sub, !dentry_spec.
  - now rewrite val_max, !val_mul, !val_sub, val_one, !dentry_spec.
  - apply val_zero.
  - apply val_zero.
  - eapply Rle_trans; [|apply lse_up_spec; discriminate]. simpl. rewrite val_neg, val_dot, val_zero, exp_0. right. f_equal. ring.
  - rewrite val_sub, val_dot. apply Rplus_le_compat_r. eapply Rle_trans; [|apply lse_up_spec].
    + right. f_equal. f_equal. unfold vals at 3. rewrite !map_map, vals_length. apply map_ext. intro k. now rewrite vals_nth.
    + destruct y as [|a y]; [now destruct (Ne eq_refl)|]. discriminate.
Qed.
Lemma nth_plus k a b : nth k (plus a b) 0 = nth k a 0 + nth k b 0.
Proof.
  revert k b. induction a as [|p a IH]; intros k b; simpl plus; [destruct k; simpl; lra|].
  destruct b as [|q b]; [destruct k; simpl; lra|]. destruct k; simpl; [reflexivity | apply IH].
Qed.
Lemma nth_times k t a : nth k (times t a) 0 = t * nth k a 0.
Proof. revert k. induction a as [|p a IH]; intros [|k]; simpl; try lra. apply IH. Qed.
Lemma dallowed_spec l f y : dallowed l f y = true -> allowed l (vals f) (vals y).
Proof.
  destruct l; simpl; auto.
  - rewrite andb_true_iff, dle_spec, val_zero, forallb_forall. intros [R H] k.
    replace (nth k (vals f) 0 - nth k (vals y) 0) with (nth k (vals (dmiss f y)) 0) by (rewrite dmiss_spec, nth_plus, nth_times; ring).
    destruct (Nat.lt_ge_cases k (length (dmiss f y))) as [L|L].
    + rewrite vals_nth. specialize (H (nth k (dmiss f y) dzero) (nth_In _ _ L)). now rewrite dle_spec, val_abs in H.
    + rewrite nth_overflow by (now rewrite vals_length). now rewrite Rabs_R0.
  - now rewrite dle_spec, val_one, val_dot.
Qed.
Lemma is_share_spec y : is_share y = true -> shares (vals y).
Proof.
  unfold is_share, shares. rewrite andb_true_iff, forallb_forall, deq_spec, val_sum, val_one. intros (P & S). split; [|exact S].
  intros a I. apply in_map_iff in I as (b & <- & I). specialize (P b I). now rewrite dle_spec, val_zero in P.
Qed.
Lemma suits_sensible l rows reals : Forall2 is_row rows reals -> suits l rows = true -> forall r, In r reals -> sensible l (target r).
Proof.
  intros R H r I. destruct (forall2_in_r _ _ _ _ R I) as (p & P & _ & -> & _).
  destruct l; simpl in *; auto; rewrite ?andb_true_iff, ?dlt_spec, ?val_zero, ?val_one in H; try lra.
  rewrite forallb_forall in H. apply is_share_spec. auto.
Qed.
Lemma suits_nonempty l rows q : suits l rows = true -> In q rows -> l = Softmax -> dtarget q <> [].
Proof.
  intros H I ->. simpl in H. rewrite forallb_forall in H. specialize (H q I). apply is_share_spec in H as (_ & S). intro E. rewrite E in S. simpl in S. lra.
Qed.

Definition real_dual (g : gates) (rows : list drow) (ws : list (list dyadic)) : list (row * vec) := combine (real_rows g 0 rows) (map vals ws).
Lemma single {A} (l : list A) : length l = 1%nat -> exists a, l = [a].
Proof. destruct l as [|a [|]]; try discriminate. eauto. Qed.

(* One row: Fenchel's inequality, with the residual. *)
Lemma dual_term_spec l r p w a f : is_row p r -> (l = Hinge \/ l = Margin \/ l = Logistic -> exists y, target r = [y] /\ (y = 1 \/ y = -1)) ->
  (match l with Huber _ | Absolute | Quantile _ => exists y, target r = [y] | Softmax => shares (target r) | _ => True end) -> 0 < weight r -> length w = length (dtarget p) ->
  dual_term l (dtarget p) (dweight p) w = Some a -> allowed l f (target r) ->
  val a - val (slack l w) - dot (vals w) f <= weight r * loss_at l f (target r).
Proof.
  intros (_ & T & W) Sg Bx C L E A. rewrite <- (vals_length w), <- (vals_length (dtarget p)), <- T in L. revert E.
  assert (Y : forall y, target r = [y] -> exists b, vals w = [b] /\ val (dentry w) = b).
  { intros y Y. rewrite Y in L. destruct (single _ L) as [b B]. exists b. split; auto. now rewrite dentry_spec, B. }
  unfold dual_term, slack. destruct l;
    repeat match goal with |- context[if ?b then _ else _] => let G := fresh "G" in destruct b eqn:G; [|discriminate] end;
    intros [= <-]; rewrite ?andb_true_iff, ?dle_spec in *;
    rewrite ?val_sub, ?val_neg, ?val_mul, ?val_zero, ?val_one, ?val_dot in *; rewrite <- ?T, <- ?W in *.
  - pose proof (fenchel_squared (weight r) f (target r) (vals w) C) as F.
    assert (P : 0 < val (dadd (dweight p) (dweight p))) by (rewrite val_add, <- W; lra).
    pose proof (ddiv_up_spec (ddot w w) _ P) as D. rewrite val_dot, val_add, <- W in D.
    replace (weight r + weight r) with (2 * weight r) in D by ring. lra.
  - destruct (Sg (or_introl eq_refl)) as (y & Ty & S). destruct (Y y Ty) as (b & B & _). rewrite Ty, B in *.
    rewrite (dot_one y) in G. unfold entry in G. simpl nth in G.
    pose proof (fenchel_hinge (weight r) f y b S G) as F. rewrite (dot_one y [b]). unfold entry at 1. simpl nth. lra.
  - destruct Bx as (y & Ty). destruct (Y y Ty) as (b & B & Eb). rewrite Eb in *. rewrite Ty, B in *.
    assert (P : 0 < val (dadd (dweight p) (dweight p))) by (rewrite val_add, <- W; lra).
    pose proof (ddiv_up_spec (dmul (dentry w) (dentry w)) _ P) as Q. rewrite val_mul, val_add, <- W, Eb in Q.
    pose proof (fenchel_huber D (weight r) f [y] b C) as F. rewrite (dot_one y [b]). unfold entry in F |- *. simpl nth in F |- *.
    replace (weight r + weight r) with (2 * weight r) in Q by ring. lra.
  - destruct Bx as (y & Ty). destruct (Y y Ty) as (b & B & Eb). rewrite Eb in *. rewrite Ty, B in *.
    pose proof (fenchel_absolute (weight r) f [y] b G) as F. rewrite (dot_one y [b]). unfold entry in F |- *. simpl nth in F |- *. lra.
  - destruct Bx as (y & Ty). destruct (Y y Ty) as (b & B & Eb). rewrite Eb in *. rewrite Ty, B in *.
    rewrite val_sub, val_one in G. pose proof (fenchel_quantile T0 (weight r) f [y] b G) as F. rewrite (dot_one y [b]). unfold entry in F |- *. simpl nth in F |- *. lra.
  - pose proof (fenchel_equality _ f (target r) (vals w) A) as F. rewrite val_sum. unfold vals at 2. rewrite map_map.
    rewrite (map_ext _ (fun x => Rabs (val x))) by apply val_abs. unfold vals in F at 2. rewrite map_map in F. simpl. lra.
  - destruct (Sg (or_intror (or_introl eq_refl))) as (y & Ty & S). destruct (Y y Ty) as (b & B & _). rewrite Ty, B in *.
    rewrite (dot_one y) in G. unfold entry in G. simpl nth in G.
    pose proof (fenchel_margin f y b S G A) as F. rewrite (dot_one y [b]). unfold entry at 1. simpl nth. cbn [loss_at]. lra.
  - destruct (Sg (or_intror (or_intror eq_refl))) as (y & Ty & S). destruct (Y y Ty) as (b & B & _). rewrite Ty, B in *.
    pose proof (val_dot (dtarget p) w) as V. rewrite <- T, B, (dot_one y) in V. unfold entry in V. simpl nth in V.
    rewrite (dot_one y) in G. unfold entry in G. simpl nth in G.
    pose proof (fenchel_logistic (weight r) f y b C S G) as F.
    pose proof (entropy_down_spec (dweight p) (ddot (dtarget p) w) ltac:(rewrite <- W; exact C) ltac:(rewrite V; lra)) as E1.
    pose proof (entropy_down_spec (dweight p) (dsub (dweight p) (ddot (dtarget p) w)) ltac:(rewrite <- W; exact C) ltac:(rewrite val_sub, V, <- W; lra)) as E2.
    rewrite val_sub, V, <- W in E2. rewrite V, <- W in E1. rewrite val_add. lra.
  - destruct G as (Gz & Gs). rewrite deq_spec, val_sum, val_zero in Gs. rewrite forallb_forall in Gz.
    set (z := dplus (dtimes (dweight p) (dtarget p)) (dtimes (dint (-1)) w)) in *.
    assert (Zk : forall k, val (nth k z dzero) = weight r * nth k (target r) 0 - nth k (vals w) 0).
    { intro k. rewrite <- vals_nth. unfold z. rewrite vals_plus, !vals_times, nth_plus, !nth_times, val_int, <- W, <- T. ring. }
    assert (Zp : forall k, 0 <= weight r * nth k (target r) 0 - nth k (vals w) 0).
    { intro k. rewrite <- Zk. destruct (Nat.lt_ge_cases k (length z)) as [Lk|Lk]; [|rewrite nth_overflow, val_zero by assumption; lra].
      specialize (Gz _ (nth_In _ dzero Lk)). now rewrite dle_spec, val_zero in Gz. }
    pose proof (fenchel_softmax (weight r) f (target r) (vals w) C Bx L Zp Gs) as F.
    assert (Lz : length z = length (target r)).
    { rewrite <- (vals_length z). unfold z. rewrite vals_plus, !vals_times. rewrite vals_length in L. rewrite T, vals_length in L |- *.
      assert (Q : forall a b : vec, length a = length b -> length (plus a b) = length a).
      { clear. induction a as [|p a IH]; intros [|q b] H; simpl in *; try discriminate; auto. }
      unfold times. rewrite Q; rewrite !map_length, ?vals_length; congruence. }
    assert (E1 : val (dsum (map (entropy_down (dweight p)) z)) <= sum (map (fun k => entropy (weight r) (weight r * nth k (target r) 0 - nth k (vals w) 0)) (seq 0 (length (target r))))).
    { rewrite <- Lz, val_sum. unfold vals at 1. rewrite map_map, (nth_sum (fun a => val (entropy_down (dweight p) a)) z dzero). apply sum_le. intros k K.
      rewrite <- Zk, W. apply entropy_down_spec; [rewrite <- W; exact C | rewrite Zk; apply Zp]. }
    eapply Rle_trans; [|exact F]. rewrite Rminus_0_r. apply Rplus_le_compat_r. exact E1.
Qed.

Lemma fenchel_sum l f rows reals : Forall2 is_row rows reals -> forall ws terms,
  (forall r, In r reals -> l = Hinge \/ l = Margin \/ l = Logistic -> exists y, target r = [y] /\ (y = 1 \/ y = -1)) ->
  (forall r, In r reals -> match l with Huber _ | Absolute | Quantile _ => exists y, target r = [y] | Softmax => shares (target r) | _ => True end) ->
  (forall r, In r reals -> 0 < weight r) -> (forall r, In r reals -> allowed l (f r) (target r)) ->
  (forall p w, In p rows -> In w ws -> length w = length (dtarget p)) -> dual_terms l rows ws = Some terms ->
  sum (map (fun t => val (fst t)) terms) - sum (map (fun t => val (snd t)) terms)
    - sum (map (fun p : row * vec => dot (snd p) (f (fst p))) (combine reals (map vals ws)))
  <= sum (map (fun r => weight r * loss_at l (f r) (target r)) reals).
Proof.
  induction 1 as [|p r rows reals I F IH]; intros [|w ws] terms S B W A L E; try discriminate; simpl in E.
  - injection E as <-. simpl. lra.
  - destruct (dual_term l (dtarget p) (dweight p) w) as [a|] eqn:D; [|discriminate].
    destruct (dual_terms l rows ws) as [more|] eqn:M; [|discriminate]. injection E as <-.
    pose proof (IH ws more) as G. simpl.
    assert (K : val a - val (slack l w) - dot (vals w) (f r) <= weight r * loss_at l (f r) (target r)).
    { apply (dual_term_spec l r p w a (f r)); auto; [apply S | apply B | apply W | apply L | apply A]; simpl; auto. }
    assert (sum (map (fun t => val (fst t)) more) - sum (map (fun t => val (snd t)) more)
      - sum (map (fun p : row * vec => dot (snd p) (f (fst p))) (combine reals (map vals ws)))
      <= sum (map (fun r => weight r * loss_at l (f r) (target r)) reals)).
    { apply G; auto; intros; [apply S | apply B | apply W | apply A | apply L]; simpl; auto. }
    lra.
Qed.

Lemma gate_vector_spec k q u all reals : Forall2 is_open_row all reals -> forall ws,
  dot (vals (gate_vector k q (combine all ws))) u =
  sum (map (fun p : row * vec => if opens (fst p) k then nth q (snd p) 0 * dot (point (fst p)) u else 0) (combine reals (map vals ws))).
Proof.
  intros F ws. unfold gate_vector. rewrite dot_dtotal, map_map. revert ws.
  induction F as [|p r all reals ((P & _) & O) F IH]; intros [|w ws]; simpl; auto. rewrite IH, (O k). f_equal.
  destruct (opens r k); [|reflexivity]. now rewrite vals_times, dot_times, vals_nth, P.
Qed.
Lemma gated_price_spec k o all ws : val (gated_price k o (combine all ws)) =
  sum (map (fun q => dot (vals (gate_vector k q (combine all ws))) (vals (gate_vector k q (combine all ws)))) (seq 0 o)).
Proof. unfold gated_price. rewrite val_sum. unfold vals at 1. rewrite map_map. apply sum_ext. intros. apply val_dot. Qed.

Lemma push_spec k s all reals u : Forall2 is_open_row all reals -> 0 <= val s -> in_cone reals k u -> forall l more,
  push k s all l = Some more -> 0 <= dot (vals (dtotal more)) u.
Proof.
  intros F S C l. induction l as [|(i, mu) l IH]; simpl; intros more E.
  - injection E as <-. simpl. lra.
  - destruct (znth i all) as [p|] eqn:Z; [|discriminate]. destruct (push k s all l) as [rest|]; [|discriminate].
    destruct (dle dzero mu) eqn:M; [|discriminate]. injection E as <-. rewrite dle_spec, val_zero in M.
    pose proof (IH rest eq_refl) as G. rewrite dot_dtotal in *. simpl. apply Rplus_le_le_0_compat; [|exact G].
    apply znth_in in Z. destruct (forall2_in _ _ _ _ F Z) as (r & R & (P & _) & O). pose proof (C r R) as K.
    rewrite vals_times, dot_times, val_mul, <- P, (O k). destruct (opens r k); rewrite ?val_neg.
    + apply Rmult_le_pos; [now apply Rmult_le_pos | exact K].
    + replace (val s * - val mu * dot (point r) u) with (val s * val mu * - dot (point r) u) by ring. apply Rmult_le_pos; [now apply Rmult_le_pos | lra].
Qed.

Lemma relu_price_spec k q sg s all reals ws l a B u : Forall2 is_open_row all reals -> 0 <= val s -> 0 <= B -> in_cone reals k u ->
  relu_price k q sg s all ws l = Some a -> val a <= B * B ->
  val sg * sum (map (fun p : row * vec => nth q (snd p) 0 * relu (dot (point (fst p)) u)) (combine reals (map vals ws))) <= B * norm u.
Proof.
  intros F S Bp C E A. unfold relu_price in E. destruct (push k s all l) as [more|] eqn:P; [|discriminate]. injection E as <-.
  set (G := dplus (dtimes sg (gate_vector k q (combine all ws))) (dtotal more)) in *.
  assert (D : val sg * sum (map (fun p : row * vec => nth q (snd p) 0 * relu (dot (point (fst p)) u)) (combine reals (map vals ws))) <= dot (vals G) u).
  { unfold G. rewrite vals_plus, vals_times, dot_plus, dot_times, (gate_vector_spec k q u all reals F).
    pose proof (push_spec k s all reals u F S C l more P).
    rewrite (sum_ext (fun p : row * vec => nth q (snd p) 0 * relu (dot (point (fst p)) u))
                     (fun p : row * vec => if opens (fst p) k then nth q (snd p) 0 * dot (point (fst p)) u else 0)); [lra|].
    intros (r, w) I. apply in_combine_l in I. simpl. rewrite (in_cone_relu reals k u r C I). destruct (opens r k); ring. }
  eapply Rle_trans; [exact D|]. eapply Rle_trans; [apply dot_norm|]. apply Rmult_le_compat_r; [apply norm_nonneg|].
  rewrite val_dot in A. unfold norm. rewrite <- (sqrt_square B) by assumption. now apply sqrt_le_1_alt.
Qed.
Lemma output_prices_spec limit s all reals ws B k u : Forall2 is_open_row all reals -> 0 <= val s -> 0 <= B -> val limit = B * B -> in_cone reals k u ->
  forall l q0, output_prices k q0 limit s all ws l = true -> forall q, (q0 <= q < q0 + length l)%nat ->
  Rabs (sum (map (fun p : row * vec => nth q (snd p) 0 * relu (dot (point (fst p)) u)) (combine reals (map vals ws)))) <= B * norm u.
Proof.
  intros F Sp Bp V C l. induction l as [|(up, down) l IH]; simpl; intros q0 H q K; [lia|].
  rewrite !andb_true_iff in H. destruct H as ((U & D) & R).
  destruct (Nat.eq_dec q q0) as [->|N]; [|apply (IH (S q0) R q); lia].
  unfold at_most in U, D. destruct (relu_price k q0 done s all ws up) as [a|] eqn:A; [|discriminate].
  destruct (relu_price k q0 (dint (-1)) s all ws down) as [b|] eqn:E; [|discriminate]. rewrite dle_spec, V in U, D.
  pose proof (relu_price_spec k q0 done s all reals ws up a B u F Sp Bp C A U) as X.
  pose proof (relu_price_spec k q0 (dint (-1)) s all reals ws down b B u F Sp Bp C E D) as Y.
  rewrite val_one in X. rewrite val_int in Y. apply Rabs_le. lra.
Qed.
Lemma relu_prices_spec o limit s all reals ws B : Forall2 is_open_row all reals -> 0 <= val s -> 0 <= B -> val limit = B * B -> forall l k0,
  relu_prices o k0 limit s all ws l = true -> forall k q u, (k0 <= k < k0 + length l)%nat -> (q < o)%nat -> in_cone reals k u ->
  Rabs (sum (map (fun p : row * vec => nth q (snd p) 0 * relu (dot (point (fst p)) u)) (combine reals (map vals ws)))) <= B * norm u.
Proof.
  intros F Sp Bp V l. induction l as [|gate l IH]; simpl; intros k0 H k q u K Q C; [lia|].
  rewrite !andb_true_iff, Nat.eqb_eq in H. destruct H as ((L & D) & R).
  destruct (Nat.eq_dec k k0) as [->|N]; [|apply (IH (S k0) R k q u); auto; lia].
  eapply output_prices_spec; eauto. lia.
Qed.
Lemma dfeeds_one_spec w : dfeeds_one w = true -> feeds_one (vals w).
Proof.
  induction w as [|a w IH]; intro H; [intros [|k] [|l] K; now destruct K|].
  simpl in H. destruct (Z.eqb (mantissa a) 0) eqn:E.
  - apply Z.eqb_eq, mantissa_zero in E. intros [|k] [|l] K L; simpl in K, L; try (now destruct K); try (now destruct L). f_equal. now apply (IH H).
  - assert (Z0 : forall k, nth k (vals w) 0 = 0).
    { intro k. rewrite vals_nth. destruct (Nat.lt_ge_cases k (length w)) as [Lk|Lk]; [|rewrite nth_overflow, val_zero by assumption; reflexivity].
      unfold dnull in H. rewrite forallb_forall in H. specialize (H _ (nth_In w dzero Lk)). now apply Z.eqb_eq, mantissa_zero in H. }
    intros [|k] [|l] K L; auto; exfalso; [apply L | apply K | apply K]; simpl; apply Z0.
Qed.

Lemma loss_sum f l (F : row -> vec) all reals : Forall2 is_open_row all reals ->
  (forall q r, is_open_row q r -> vals (doutput f q) = F r) -> (forall r, In r reals -> 0 < weight r) ->
  (forall q, In q all -> l = Softmax -> dtarget (fst q) <> []) ->
  sum (map (fun r => weight r * loss_at l (F r) (target r)) reals) <=
  val (dsum (map (fun q : orow => dmul (dweight (fst q)) (dloss_at l (doutput f q) (dtarget (fst q)))) all)).
Proof.
  intros A H. rewrite val_sum. unfold vals at 1. rewrite map_map.
  induction A as [|q r all reals O A IH]; simpl; intros W Ne; [lra|]. apply Rplus_le_compat; [|apply IH; auto].
  rewrite val_mul, <- (H q r O). pose proof (W r (or_introl eq_refl)). destruct O as ((_ & T & Wq) & _). rewrite T, Wq in *.
  apply Rmult_le_compat_l; [lra|]. apply dloss_spec. auto.
Qed.
Lemma all_allowed f l (F : row -> vec) all reals : Forall2 is_open_row all reals ->
  (forall q r, is_open_row q r -> vals (doutput f q) = F r) ->
  forallb (fun q : orow => dallowed l (doutput f q) (dtarget (fst q))) all = true ->
  forall r, In r reals -> allowed l (F r) (target r).
Proof.
  intros A H E r I. destruct (forall2_in_r _ _ _ _ A I) as (q & Q & O). rewrite forallb_forall in E.
  rewrite <- (H q r O). destruct O as ((_ & -> & _) & _). apply dallowed_spec. auto.
Qed.

Lemma above_spec P F size loss pen above : 0 < divisor P -> 0 <= beta P -> size <= val pen ->
  sum (map (fun r => weight r * loss_at (loss_of P) (F r) (target r)) (data P)) <= val loss ->
  forall N bt, val N = divisor P -> val bt = beta P -> above = dadd (ddiv_up loss N) (dmul bt pen) ->
  objective P F size <= val (double_up above).
Proof.
  intros Np Bp S V N bt EN EB ->. eapply Rle_trans; [|apply double_up_spec]. rewrite val_add, val_mul, EB.
  unfold objective. assert (Pn : 0 < val N) by (now rewrite EN).
  pose proof (ddiv_up_spec loss N Pn) as D. rewrite EN in D.
  assert (sum (map (fun r => weight r * loss_at (loss_of P) (F r) (target r)) (data P)) / divisor P <= val loss / divisor P).
  { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra | exact V]. } pose proof (Rmult_le_compat_l _ _ _ Bp S). lra.
Qed.

Lemma neuron_in_cone_spec m all reals j : Forall2 is_open_row all reals -> neuron_in_cone m all j = true ->
  exists k, (k < m)%nat /\ in_cone reals k (vals (dinner j)).
Proof.
  intros F H. unfold neuron_in_cone in H. apply existsb_exists in H as (k & K & H). apply in_seq in K. exists k. split; [lia|].
  intros r I. destruct (forall2_in_r _ _ _ _ F I) as (q & Q & (P & _) & O). rewrite forallb_forall in H.
  specialize (H (ddot (dpoint (fst q)) (dinner j), snd q) (in_map (fun p : orow => (ddot (dpoint (fst p)) (dinner j), snd p)) _ _ Q)).
  simpl in H. rewrite (O k) in H. rewrite P, <- val_dot. destruct (opens r k); rewrite dle_spec, val_zero in H; exact H.
Qed.
Lemma network_relu o d m free in_cones single all reals l c : Forall2 is_open_row all reals -> network_ok o d m free in_cones single all (Relu l c) = true ->
  shaped o d (real_network l c) /\ unbiased free (real_network l c) /\
  (in_cones = true -> forall j, In j (neurons (real_network l c)) -> exists k, (k < m)%nat /\ in_cone reals k (inner j)) /\
  (single = true -> forall j, In j (neurons (real_network l c)) -> feeds_one (outer j)).
Proof.
  intros F H. simpl in H. rewrite !andb_true_iff, forallb_forall, Nat.leb_le in H. destruct H as ((((J & C) & K) & I) & One).
  split; [|split; [|split]].
  - split; simpl; [now rewrite vals_length|]. intros j Q. apply in_map_iff in Q as (i & <- & Q). simpl. rewrite !vals_length.
    specialize (J i Q). rewrite !andb_true_iff, !Nat.eqb_eq in J. tauto.
  - destruct free; [now left|]. right. simpl in K. apply Nat.eqb_eq in K. destruct c; [|discriminate]. split; [reflexivity|].
    intros j Q. apply in_map_iff in Q as (i & <- & Q). specialize (J i Q). rewrite !andb_true_iff in J. destruct J as (_ & J).
    simpl in J |- *. rewrite deq_spec, val_zero in J. exact J.
  - intros -> j Q. apply in_map_iff in Q as (i & <- & Q). simpl in I. rewrite forallb_forall in I. simpl. eapply neuron_in_cone_spec; eauto.
  - intros -> j Q. apply in_map_iff in Q as (i & <- & Q). simpl in One. rewrite forallb_forall in One. simpl. apply dfeeds_one_spec. auto.
Qed.
Lemma network_gated o d m free in_cones single all l c : network_ok o d m free in_cones single all (OnGates l c) = true -> gated_shaped o d m free (real_gated_network l c).
Proof.
  intro H. simpl in H. rewrite !andb_true_iff, forallb_forall, Nat.leb_le in H. destruct H as ((J & C) & K).
  split; [|split; simpl; [now rewrite vals_length|]].
  - destruct free; [now left|]. right. simpl in K. apply Nat.eqb_eq in K. now destruct c.
  - intros j Q. apply in_map_iff in Q as (i & <- & Q). specialize (J i Q). rewrite !andb_true_iff, !Nat.eqb_eq, Nat.ltb_lt, forallb_forall in J.
    destruct J as ((A & B) & D). simpl. rewrite map_length. repeat split; auto. intros w W. apply in_map_iff in W as (v & <- & W).
    rewrite vals_length. apply Nat.eqb_eq. auto.
Qed.

(* The lower side of one objective, from what was proved of prices. *)
Lemma below_spec l N bt rows reals F size ws terms low o : Forall2 is_row rows reals -> 0 < val N -> 0 < val bt -> 0 <= size ->
  suits l rows = true -> (forall r, In r reals -> length (target r) = o /\ 0 < weight r) ->
  forallb (fun w => Nat.eqb (length w) o) ws = true ->
  (forall p, In p rows -> length (dtarget p) = o) ->
  feasible (Problem l (val N) (val bt) reals) F -> dual_terms l rows ws = Some terms ->
  sum (map (fun p : row * vec => dot (snd p) (F (fst p))) (combine reals (map vals ws))) <= val N * val bt * size ->
  low = dmax dzero (double_down (ddiv_down (dsub (dsum (map fst terms)) (dsum (map snd terms))) N)) ->
  val low <= objective (Problem l (val N) (val bt) reals) F size.
Proof.
  intros R Np Bp Sz St T Lw Lt Fe E W ->. rewrite val_max, val_zero. apply Rmax_lub.
  { apply objective_nonneg; simpl; auto; try lra. { eapply suits_sensible; eauto. } intros r I. apply Rlt_le. now apply T. }
  eapply Rle_trans; [apply double_down_spec|]. eapply Rle_trans; [now apply ddiv_down_spec|].
  refine (weak_duality (Problem l (val N) (val bt) reals) F size _ _ Np _ W). cbn [loss_of data].
  rewrite val_sub, !val_sum. unfold vals at 1 2. rewrite !map_map.
  apply (fenchel_sum l F rows reals R ws terms); auto.
  - intros r I C. destruct (forall2_in_r _ _ _ _ R I) as (p & P & _ & Tp & _). rewrite Tp. apply is_sign_spec.
    assert (S : signs rows = true) by (destruct C as [C|[C|C]]; subst l; exact St). unfold signs in S. rewrite forallb_forall in S. auto.
  - intros r I. destruct (forall2_in_r _ _ _ _ R I) as (p & P & _ & Tp & _).
    destruct l; auto; try (rewrite Tp; apply is_share_spec; simpl in St; rewrite forallb_forall in St; now apply St); simpl in St; rewrite ?andb_true_iff in St;
      match type of St with _ /\ _ => destruct St as (_ & St) | _ => idtac end; rewrite forallb_forall in St;
      specialize (St p P); apply Nat.eqb_eq in St; rewrite Tp; apply single; now rewrite vals_length.
  - intros r I. now apply T.
  - intros p w P I. rewrite forallb_forall in Lw. specialize (Lw w I). apply Nat.eqb_eq in Lw. rewrite Lw. symmetry. auto.
Qed.

Lemma scaled_lengths o s vs : forallb (fun w : list dyadic => Nat.eqb (length w) o) vs = true -> forallb (fun w => Nat.eqb (length w) o) (scaled_by s vs) = true.
Proof.
  rewrite !forallb_forall. intros H w I. apply in_map_iff in I as (v & <- & I). unfold dtimes. rewrite map_length. auto.
Qed.
Lemma scaled_gain c u b s all reals : Forall2 is_open_row all reals -> forall vs,
  sum (map (fun p : row * vec => dot (snd p) c * relu (dot (point (fst p)) u + b)) (combine reals (map vals (scaled_by s vs)))) =
  val s * gain (combine (map (fun w => dot (vals w) c) vs) (map vals (map (fun q : orow => dpoint (fst q)) all))) u b.
Proof.
  intro F. unfold gain. induction F as [|q r all reals ((P & _) & _) F IH]; intros [|w vs]; simpl; try ring.
  change (map (dtimes s) vs) with (scaled_by s vs). rewrite IH, vals_times, dot_times, P. ring.
Qed.
Lemma sums_dot o s vs reals c : sums_vanish o vs = true -> forallb (fun w : list dyadic => Nat.eqb (length w) o) vs = true -> length vs = length reals ->
  sum (map (fun p : row * vec => dot (snd p) c) (combine reals (map vals (scaled_by s vs)))) = 0.
Proof.
  intros Z L N.
  assert (E : sum (map (fun p : row * vec => dot (snd p) c) (combine reals (map vals (scaled_by s vs)))) = val s * sum (map (fun w => dot (vals w) c) vs)).
  { clear Z L. revert reals N. induction vs as [|w vs IH]; intros [|r reals] N; simpl in *; try discriminate; try ring.
    change (map (dtimes s) vs) with (scaled_by s vs). rewrite IH by lia. rewrite vals_times, dot_times. ring. }
  rewrite E, (sum_ext _ (fun w => sum (map (fun q => nth q c 0 * val (nth q w dzero)) (seq 0 o)))).
  2: { intros w I. rewrite forallb_forall in L. specialize (L w I). apply Nat.eqb_eq in L. rewrite dot_seq, vals_length, L. apply sum_ext. intros q _. rewrite vals_nth. ring. }
  rewrite sum_swap, (sum_ext _ (fun _ => 0)), sum_zero; [ring|]. intros q Q. rewrite sum_times. unfold sums_vanish in Z. rewrite forallb_forall in Z. specialize (Z q Q).
  rewrite deq_spec, val_sum, val_zero in Z. unfold vals in Z. rewrite map_map in Z. rewrite Z. ring.
Qed.
Lemma sqrt_scaled s L B : 0 <= s -> 0 <= B -> s * s * L <= B * B -> s * sqrt L <= B.
Proof.
  intros S Bp H. apply square_le; [exact Bp|]. replace (s * sqrt L * (s * sqrt L)) with (s * s * (sqrt L * sqrt L)) by ring.
  destruct (Rle_dec 0 L) as [P|P]; [rewrite sqrt_sqrt by assumption; exact H|]. rewrite sqrt_neg_0 by lra. nra.
Qed.

(* Both sides with the networks themselves: one of the class has a value at most upper, and none has one below lower. *)
Definition enclosed {A} (mine : A -> Prop) (count : A -> nat) (of_ : A -> row -> vec) (size : A -> R) (P : problem) (listed : nat) (upper lower : R) : Prop :=
  (exists f, mine f /\ count f = listed /\ feasible P (of_ f) /\ objective P (of_ f) (size f) <= upper) /\
  (forall f, mine f -> feasible P (of_ f) -> lower <= objective P (of_ f) (size f)).
Definition train_holds (free : bool) (d : nat) (g : gates) (rows : list row) (gated : bool) (l : loss) (N bt : dyadic) (by_ : evidence) (listed : nat) (U L : dyadic) : Prop :=
  let P := Problem l (val N) (val bt) rows in
  exists o, (forall r, In r rows -> length (target r) = o) /\ (by_ = ByCones -> all_cones rows (gate_count g)) /\
  if gated then enclosed (gated_shaped o d (gate_count g) free) (fun f => length (gated_neurons f)) gated_output gated_penalty P listed (val U) (val L)
  else enclosed (in_class free o d g rows by_) (fun f => length (neurons f)) output penalty P listed (val U) (val L).
Lemma train_claim free d g rows gated l N bt by_ listed U L : train_holds free d g rows gated l N bt by_ listed U L ->
  claim_holds free d g rows (Train gated l N bt by_ listed U L).
Proof.
  intros (o & T & C & B). split; [exact C|]. exists o. split; [exact T|]. unfold realised.
  destruct gated; destruct B as ((f & M & K & Fe & V) & Low); split.
  - exists (gated_output f), (gated_penalty f). split; [exists f; auto | now split].
  - intros m F size (h & Mh & _ & -> & ->). now apply Low.
  - exists (output f), (penalty f). split; [exists f; auto | now split].
  - intros m F size (h & Mh & _ & -> & ->). now apply Low.
Qed.

Theorem check_train_sound g free d rows l N bt f p claimed U L : check_train g free d rows l N bt f p claimed = Some (U, L) ->
  train_holds free d g (real_rows g 0 rows) (is_gated f) l N bt (evidence_of p) (dlisted f) U L.
Proof.
  unfold check_train. set (o := outputs_of rows). set (m := gate_count g). set (all := opened g 0 rows).
  match goal with |- (if ?c then _ else _) = _ -> _ => destruct c eqn:C; [|discriminate] end.
  rewrite !andb_true_iff, !dlt_spec, val_zero in C.
  destruct C as ((((((((Np & Bp) & Ok) & St) & Nt) & Cn) & Al) & Ab) & Pr).
  destruct (proved_below l N rows p) as [(low, shown)|] eqn:E; [|discriminate].
  destruct (dle (snd claimed) low); [|discriminate]. intros [= <- <-].
  pose proof (opened_spec g 0 rows) as F. fold all in F. pose proof (real_rows_forall g 0 rows) as R.
  set (reals := real_rows g 0 rows) in *. rewrite forallb_forall in Ok.
  assert (T : forall r, In r reals -> length (target r) = o /\ 0 < weight r).
  { intros r I. destruct (forall2_in_r _ _ _ _ R I) as (q & Q & _ & Tq & Wq). specialize (Ok q Q).
    rewrite andb_true_iff, Nat.eqb_eq, dlt_spec, val_zero in Ok. now rewrite Tq, Wq, vals_length. }
  assert (Lt : forall q, In q rows -> length (dtarget q) = o).
  { intros q Q. specialize (Ok q Q). rewrite andb_true_iff, Nat.eqb_eq in Ok. tauto. }
  assert (AC : evidence_of p = ByCones -> (0 < m)%nat /\ all_cones reals m).
  { intro B. destruct p as [|[] s ws ps| | |]; try discriminate B. eapply cones_ok_spec; exact Cn. }
  exists o. split; [intros r I; now apply T|]. split; [intro B; now apply AC|].
  assert (Sf : forall q, In q all -> l = Softmax -> dtarget (fst q) <> []).
  { intros q Q. eapply suits_nonempty; [exact St|]. rewrite <- (opened_fst g 0 rows). now apply in_map. }
  assert (Zero : forall P0 F0 size, P0 = Problem l (val N) (val bt) reals -> 0 <= size -> 0 <= objective P0 F0 size).
  { intros P0 F0 size -> Sz. apply objective_nonneg; simpl; auto; try lra. { eapply suits_sensible; eauto. } intros r I. apply Rlt_le. now apply T. }
  destruct f as [ns c|ns c]; simpl is_gated; cbn iota.
  - (* ReLU *)
    pose proof (network_relu o d m free _ _ all reals ns c F Nt) as (Sh & Un & Co & One).
    split.
    + exists (real_network ns c). split; [split; [exact Sh|split; [exact Un|split]]|].
      { intro By. apply Co. destruct p as [|[] ? ? ?| | |]; try discriminate By. reflexivity. }
      { intro By. apply One. destruct p as [|[] ? ? ?| | |]; destruct By as [By|By]; try discriminate By; reflexivity. }
      split; [apply map_length|]. split.
      * intros r I. eapply all_allowed; eauto. intros q r0. apply doutput_relu.
      * eapply (above_spec (Problem l (val N) (val bt) reals)) with (pen := dpenalty (Relu ns c)); cbn [divisor beta loss_of data];
          [exact Np | lra | apply dpenalty_relu | | reflexivity | reflexivity | reflexivity].
        apply (loss_sum (Relu ns c) l (output (real_network ns c)) all reals F); [intros q r0; apply doutput_relu | intros r I; now apply T | exact Sf].
    + intros f (Fs & Fu & Fc & Fo) Fe. destruct p as [|ac s ws ps|s vs m0 ln ds h|s vs ln|s vs ow].
      { injection E as <- <-. rewrite val_zero. apply Zero; auto. apply penalty_nonneg. }
      2-4: cbn [prices_ok] in Pr; unfold dual_ok in Pr; set (xs := map (fun q : orow => dpoint (fst q)) all) in *;
           assert (La : length all = length reals) by (clear -F; induction F; simpl; auto);
           assert (B0 : 0 <= val N * val bt) by nra; cbn [proved_below] in E;
           destruct (dual_terms l rows (scaled_by s vs)) as [terms|] eqn:D; [|discriminate]; injection E as <- <-.
      2: { rewrite !andb_true_iff, dle_spec, val_zero, Nat.eqb_eq in Pr. destruct Pr as ((_ & ((Sp & Lw) & Ln) & Sv) & Pr).
           destruct (outputs_bound _ o vs ds h) as [sq|] eqn:O; [|discriminate]. rewrite dle_spec, !val_mul in Pr.
           eapply below_spec with (o := o) (ws := scaled_by s vs); eauto; [apply penalty_nonneg | now apply scaled_lengths|].
           apply (price_outputs f _ _ o d free); auto.
           - intros Fr c0. rewrite Fr in Sv. apply (sums_dot o); auto. congruence.
           - intros c0 u b Lc Lu Fb. rewrite (scaled_gain c0 u b s all reals F).
             pose proof (outputs_bound_spec (Setting free d m0 ln xs) vs o ds h sq O c0 Lc u b Lu Fb) as G. unfold toward in G. cbn [xs_of any_bias width] in G. fold xs.
             apply Rle_trans with (val s * (sqrt (val sq) * norm c0 * norm u)); [apply Rmult_le_compat_l; assumption|].
             replace (val s * (sqrt (val sq) * norm c0 * norm u)) with (val s * sqrt (val sq) * (norm c0 * norm u)) by ring.
             apply Rle_trans with (val N * val bt * (norm c0 * norm u)); [|right; ring].
             apply Rmult_le_compat_r; [apply Rmult_le_pos; apply norm_nonneg | now apply sqrt_scaled]. }
      2: { rewrite !andb_true_iff, dle_spec, val_zero, !Nat.eqb_eq in Pr. destruct Pr as (((_ & O1) & ((Sp & Lw) & Ln) & Sv) & Pr).
           eapply below_spec with (o := o) (ws := scaled_by s vs); eauto; [apply penalty_nonneg | now apply scaled_lengths|].
           apply (price_outputs f _ _ o d free); auto.
           - intros Fr c0. rewrite Fr in Sv. apply (sums_dot o); auto. congruence.
           - intros c0 u b Lc Lu Fb. pose proof (exact_ok_spec free d ln xs _ _ Pr u b Lu Fb) as G. rewrite val_mul in G.
             rewrite O1 in Lc. destruct (single _ Lc) as (t & ->).
             replace (norm [t]) with (Rabs t) by (unfold norm; simpl; rewrite Rplus_0_r; symmetry; apply sqrt_Rsqr_abs).
             assert (Eq : sum (map (fun p : row * vec => dot (snd p) [t] * relu (dot (point (fst p)) u + b)) (combine reals (map vals (scaled_by s vs)))) =
                          t * gain (paired (map (fun w => dmul s (dentry w)) vs) xs) u b).
             { assert (W1 : forall w, In w vs -> length w = 1%nat). { intros w I. rewrite forallb_forall in Lw. specialize (Lw w I). apply Nat.eqb_eq in Lw. congruence. }
               unfold xs, gain, paired. clear -F W1. revert vs W1. induction F as [|q r all reals ((P & _) & _) F IH]; intros [|w vs] W1; simpl; try ring.
               change (map (dtimes s) vs) with (scaled_by s vs). rewrite IH by (intros; apply W1; now right). destruct (single w (W1 w (or_introl eq_refl))) as (a & ->).
               replace (dot (vals (dtimes s [a])) [t]) with (val (dmul s a) * t) by (simpl; ring). change (dentry [a]) with a. rewrite P. ring. }
             rewrite Eq. apply Rle_trans with (Rabs (t * gain (paired (map (fun w => dmul s (dentry w)) vs) xs) u b)); [apply Rle_abs|]. rewrite Rabs_mult.
             pose proof (Rabs_pos t). replace (val N * val bt * Rabs t * norm u) with (Rabs t * (val N * val bt * norm u)) by ring. now apply Rmult_le_compat_l. }
      2: { rewrite !andb_true_iff, dle_spec, val_zero, !negb_true_iff, Nat.eqb_eq in Pr. destruct Pr as (((_ & Fr) & ((Sp & Lw) & Ln) & _) & Pr).
           eapply below_spec with (o := o) (ws := scaled_by s vs); eauto; [apply penalty_nonneg | now apply scaled_lengths|].
           apply (price_outputs f _ _ o d free); auto.
           - intro Yes. congruence.
           - intros c0 u b Lc Lu Fb. rewrite (Fb Fr), (scaled_gain c0 u 0 s all reals F). rewrite <- val_mul in B0.
             pose proof (orthant_ok_spec s (dmul N bt) xs vs ow Pr Sp B0 c0 u) as G. rewrite val_mul in G. fold xs. lra. }
      simpl in Pr. rewrite !andb_true_iff, dle_spec, val_zero, negb_true_iff, !Nat.eqb_eq in Pr.
      destruct Pr as ((Sp & Lw) & (Fr & Lm) & Pc). simpl in E.
      destruct (dual_terms l rows ws) as [terms|] eqn:D; [|discriminate]. injection E as <- <-.
      eapply below_spec with (o := o); eauto; [apply penalty_nonneg|].
      assert (B0 : 0 <= val N * val bt) by nra.
      apply price_relu.
      * rewrite <- Fr. exact Fu.
      * apply Fo. destruct ac; [right | left]; reflexivity.
      * intros j q J Q. destruct Fs as (_ & Fs). destruct (Fs j J) as (Jo & _). rewrite Jo in Q.
        assert (Ck : exists k, (k < m)%nat /\ in_cone reals k (inner j)).
        { destruct ac; [destruct (AC eq_refl) as (M0 & A); now apply all_cones_closed | exact (Fc eq_refl j J)]. }
        destruct Ck as (k & K & Ck).
        eapply relu_prices_spec with (k0 := O) (limit := dmul (dmul N bt) (dmul N bt)); eauto.
        { now rewrite !val_mul. } { rewrite Lm. lia. }
  - (* gated *)
    pose proof (network_gated o d m free _ _ all ns c Nt) as Sh.
    split.
    + exists (real_gated_network ns c). split; [exact Sh|]. split; [apply map_length|]. split.
      * intros r I. eapply all_allowed; eauto. intros q r0. apply doutput_gated.
      * eapply (above_spec (Problem l (val N) (val bt) reals)) with (pen := dpenalty (OnGates ns c)); cbn [divisor beta loss_of data];
          [exact Np | lra | apply dpenalty_gated | | reflexivity | reflexivity | reflexivity].
        apply (loss_sum (OnGates ns c) l (gated_output (real_gated_network ns c)) all reals F); [intros q r0; apply doutput_gated | intros r I; now apply T | exact Sf].
    + intros f Fs Fe. destruct p as [|ac s ws ps|s vs m0 ln ds h|s vs ln|s vs ow]; [| |discriminate Pr|discriminate Pr|discriminate Pr].
      { injection E as <- <-. rewrite val_zero. apply Zero; auto. apply gated_penalty_nonneg. }
      simpl in Pr. rewrite !andb_true_iff, dle_spec, val_zero in Pr.
      destruct Pr as ((Sp & Lw) & Sv & Pc). simpl in E.
      destruct (dual_terms l rows ws) as [terms|] eqn:D; [|discriminate]. injection E as <- <-.
      eapply below_spec with (o := o); eauto; [apply gated_penalty_nonneg|].
      assert (B0 : 0 <= val N * val bt) by nra.
      eapply price_gated with (G := fun k q => vals (gate_vector k q (combine all ws))); eauto.
      * intros (r, v) I. apply in_combine_r in I. apply in_map_iff in I as (w & <- & I). simpl. rewrite vals_length.
        rewrite forallb_forall in Lw. apply Nat.eqb_eq. auto.
      * intros k K. rewrite <- gated_price_spec. rewrite forallb_forall in Pc. specialize (Pc k ltac:(apply in_seq; lia)).
        rewrite dle_spec, !val_mul in Pc. exact Pc.
      * intros k q u _. now apply gate_vector_spec.
      * intros Fr q. rewrite Fr in Sv. simpl in Sv. unfold sums_vanish in Sv. rewrite forallb_forall in Sv.
        assert (G : sum (map (fun p : row * vec => nth q (snd p) 0) (combine reals (map vals ws))) = sum (map (fun w => val (nth q w dzero)) ws)).
        { assert (Le : length reals = length ws).
          { clear -D R. revert ws terms D. induction R as [|p r rows reals I R IH]; intros [|w ws] terms D; try discriminate; [reflexivity|].
            simpl in D. destruct (dual_term _ _ _ _); [|discriminate]. destruct (dual_terms l rows ws) eqn:Q; [|discriminate]. simpl. f_equal. eauto. }
          clear -Le. revert ws Le. induction reals as [|r reals IH]; intros [|w ws] Le; simpl; try discriminate; auto.
          injection Le as Le. now rewrite (IH ws Le), vals_nth. }
        rewrite G. destruct (Nat.lt_ge_cases q o) as [Q|Q].
        { specialize (Sv q ltac:(apply in_seq; lia)). rewrite deq_spec, val_sum, val_zero in Sv. unfold vals in Sv. rewrite map_map in Sv. exact Sv. }
        { rewrite (sum_ext _ (fun _ => 0)), sum_zero; auto. intros w I. rewrite nth_overflow; [apply val_zero|].
          rewrite forallb_forall in Lw. specialize (Lw w I). apply Nat.eqb_eq in Lw. lia. }
Qed.

(* --- margins: networks of penalty 1 are those that satisfy the constraints, scaled --- *)

(* Of all networks of penalty at most 1: one has every y_i f(x_i) at least lower, and each has one at most upper. *)
Definition margins {A} (mine : A -> Prop) (count : A -> nat) (of_ : A -> row -> vec) (size : A -> R) (rows : list row) (listed : nat)
  (upper : option R) (lower : R) : Prop :=
  (exists f, mine f /\ count f = listed /\ size f <= 1 /\ forall r, In r rows -> lower <= dot (target r) (of_ f r)) /\
  match upper with
  | Some most => forall f, mine f -> size f <= 1 -> exists r, In r rows /\ dot (target r) (of_ f r) <= most
  | None => True
  end.
Section Scaled.
  Variables (A : Type) (mine : A -> Prop) (count : A -> nat) (of_ : A -> row -> vec) (size : A -> R) (scale : R -> A -> A).
  Hypothesis scale_mine : forall t f, mine f -> mine (scale t f).
  Hypothesis scale_count : forall t f, count (scale t f) = count f.
  Hypothesis scale_of : forall t f r v, dot v (of_ (scale t f) r) = t * dot v (of_ f r).
  Hypothesis scale_size : forall t f, 0 <= t -> size (scale t f) = t * size f.
  Lemma constrained rows N bt f : objective (Problem Margin N bt rows) (of_ f) (size f) = bt * size f.
  Proof.
    unfold objective. cbn [loss_of divisor beta data loss_at]. rewrite (sum_ext _ (fun _ => 0)), sum_zero by (intros; ring).
    unfold Rdiv. ring.
  Qed.
  Lemma least_above (h : row -> R) most : forall rows, (forall r, In r rows -> most < h r) -> exists m, most < m /\ forall r, In r rows -> m <= h r.
  Proof.
    induction rows as [|r rows IH]; intro H; [exists (most + 1); split; [lra | intros r []]|].
    destruct IH as (m & M & G); [intros; apply H; now right|]. exists (Rmin m (h r)). split.
    - apply Rmin_glb_lt; [exact M | apply H; now left].
    - intros q [<-|I]; [apply Rmin_r | eapply Rle_trans; [apply Rmin_l | auto]].
  Qed.
  Lemma margins_from_bounds rows N bt listed U L : 0 < val bt -> rows <> [] ->
    enclosed mine count of_ size (Problem Margin N (val bt) rows) listed (val U) (val L) -> 0 < val U ->
    margins mine count of_ size rows listed (if dlt dzero L then Some (val (double_up (ddiv_up bt L))) else None) (val (double_down (ddiv_down bt U))).
  Proof.
    intros Bp Ne ((f & M & C & Fe & V) & Low) Up. split.
    - exists (scale (val bt / val U) f). rewrite constrained in V. assert (T : 0 <= val bt / val U) by (apply Rlt_le, Rdiv_lt_0_compat; assumption).
      split; [auto|]. split; [now rewrite scale_count|]. split.
      + rewrite scale_size by assumption. apply Rmult_le_reg_r with (val U); [assumption|].
        replace (val bt / val U * size f * val U) with (val bt * size f) by (field; lra). lra.
      + intros r I. rewrite scale_of. specialize (Fe r I). simpl in Fe.
        eapply Rle_trans; [apply double_down_spec|]. eapply Rle_trans; [now apply ddiv_down_spec|]. nra.
    - destruct (dlt dzero L) eqn:E; [|exact I]. apply dlt_spec in E. rewrite val_zero in E. set (most := val (double_up (ddiv_up bt L))).
      assert (Q : val bt / val L <= most) by (eapply Rle_trans; [now apply ddiv_up_spec | apply double_up_spec]).
      assert (Qp : 0 < val bt / val L) by (now apply Rdiv_lt_0_compat).
      intros h Mh Sh. destruct (Exists_dec (fun r => dot (target r) (of_ h r) <= most) rows) as [X|X]; [intro r; apply Rle_dec|apply Exists_exists in X; exact X|].
      exfalso. destruct (least_above (fun r => dot (target r) (of_ h r)) most rows) as (m & Mm & G).
      { intros r I. apply Rnot_le_lt. intro Y. apply X. apply Exists_exists. eauto. }
      assert (mp : 0 < m) by lra. specialize (Low (scale (/ m) h) (scale_mine _ _ Mh)). rewrite constrained in Low.
      assert (Fs : feasible (Problem Margin N (val bt) rows) (of_ (scale (/ m) h))).
      { intros r I. cbn [loss_of allowed]. rewrite scale_of. specialize (G r I). apply Rmult_le_reg_l with m; [assumption|].
        rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra. }
      specialize (Low Fs). rewrite scale_size in Low by (apply Rlt_le, Rinv_0_lt_compat; assumption).
      assert (val L * m <= val bt).
      { apply Rle_trans with (val bt * (/ m * size h) * m); [apply Rmult_le_compat_r; lra|].
        replace (val bt * (/ m * size h) * m) with (val bt * size h) by (field; lra). nra. }
      assert (val bt / val L * val L = val bt) by (field; lra). nra.
  Qed.
End Scaled.

Definition scale_neuron (t : R) (j : neuron) := Neuron (times t (outer j)) (inner j) (shift j).
Definition scale_network (t : R) (f : network) := Network (map (scale_neuron t) (neurons f)) (times t (constant f)).
Definition scale_gated (t : R) (f : gated_network) :=
  GatedNetwork (map (fun j => Gated (gate j) (map (times t) (maps j))) (gated_neurons f)) (times t (gated_constant f)).
Lemma norm_times t a : 0 <= t -> norm (times t a) = t * norm a.
Proof.
  intro T. unfold norm. rewrite dot_times, dot_times_r, <- Rmult_assoc, sqrt_mult_alt by (apply Rmult_le_pos; assumption). now rewrite sqrt_square.
Qed.
Lemma scale_network_of t f r v : dot v (output (scale_network t f) r) = t * dot v (output f r).
Proof.
  unfold output. simpl. rewrite !dot_plus_r, dot_times_r, !dot_total_r, !map_map, Rmult_plus_distr_l, <- sum_times. f_equal. apply sum_ext.
  intros j _. simpl. rewrite !dot_times_r. ring.
Qed.
Lemma scale_network_size t f : 0 <= t -> penalty (scale_network t f) = t * penalty f.
Proof.
  intro T. unfold penalty. simpl. rewrite map_map, <- sum_times. apply sum_ext. intros j _. simpl. rewrite norm_times by assumption. ring.
Qed.
Lemma scale_network_mine free o d g rows by_ t f : in_class free o d g rows by_ f -> in_class free o d g rows by_ (scale_network t f).
Proof.
  intros ((C & Sh) & Un & Co & One). unfold in_class, shaped, unbiased. simpl. unfold times at 1 2. rewrite map_length.
  assert (G : forall j, In j (map (scale_neuron t) (neurons f)) -> exists i, In i (neurons f) /\ j = scale_neuron t i).
  { intros j J. apply in_map_iff in J as (i & <- & I). eauto. }
  split; [split; [exact C|]|split; [|split]].
  - intros j J. destruct (G j J) as (i & I & ->). simpl. unfold times. rewrite map_length. auto.
  - destruct Un as [Un|(Z & S)]; [now left|]. right. rewrite Z. split; [reflexivity|]. intros j J. destruct (G j J) as (i & I & ->). simpl. auto.
  - intros B j J. destruct (G j J) as (i & I & ->). simpl. auto.
  - intros B j J. destruct (G j J) as (i & I & ->). simpl. intros k l K L. rewrite !nth_times in *. apply (One B i I); intro Z; [apply K | apply L]; rewrite Z; ring.
Qed.
Lemma scale_gated_of t f r v : dot v (gated_output (scale_gated t f) r) = t * dot v (gated_output f r).
Proof.
  unfold gated_output. simpl. rewrite !dot_plus_r, dot_times_r, !dot_total_r, !map_map, Rmult_plus_distr_l, <- sum_times. f_equal. apply sum_ext.
  intros j _. simpl. destruct (opens r (gate j)); [|rewrite dot_nil_r; ring]. rewrite map_map, <- dot_times_r. f_equal. unfold times at 2. rewrite map_map.
  apply map_ext. intro w. apply dot_times.
Qed.
Lemma scale_gated_size t f : 0 <= t -> gated_penalty (scale_gated t f) = t * gated_penalty f.
Proof.
  intro T. unfold gated_penalty. simpl. rewrite map_map, <- sum_times. apply sum_ext. intros j _. simpl. rewrite map_map.
  rewrite (sum_ext _ (fun w => t * t * dot w w)) by (intros w _; rewrite dot_times, dot_times_r; ring).
  rewrite sum_times, sqrt_mult_alt by (apply Rmult_le_pos; assumption). now rewrite sqrt_square.
Qed.
Lemma scale_gated_mine o d m free t f : gated_shaped o d m free f -> gated_shaped o d m free (scale_gated t f).
Proof.
  intros (C & L & J). unfold gated_shaped. simpl. unfold times at 2. rewrite map_length. split; [|split; [exact L|]].
  - destruct C as [C|C]; [now left|]. right. now rewrite C.
  - intros j I. apply in_map_iff in I as (i & <- & I). simpl. destruct (J i I) as (A & B & D). rewrite map_length. repeat split; auto.
    intros w W. apply in_map_iff in W as (v & <- & W). unfold times. rewrite map_length. auto.
Qed.

(* The bounds of a margin from those of beta min R. *)
Definition as_margin (bt U L : dyadic) : option dyadic * dyadic :=
  (if dlt dzero L then Some (double_up (ddiv_up bt L)) else None, double_down (ddiv_down bt U)).
Theorem margin_sound free d g rows gated N bt by_ listed U L : 0 < val bt -> 0 < val U -> rows <> [] ->
  train_holds free d g rows gated Margin N bt by_ listed U L ->
  claim_holds free d g rows (Largest gated N bt by_ listed (fst (as_margin bt U L)) (snd (as_margin bt U L))).
Proof.
  intros Bp Up Ne (o & T & C & B). split; [exact C|]. exists o. split; [exact T|]. unfold as_margin, realised, margin_within. cbn [fst snd].
  destruct gated.
  - apply (margins_from_bounds _ _ _ _ _ scale_gated) with (N := val N) in B; auto.
    2: { intros; now apply scale_gated_mine. } 2: { intros; simpl; apply map_length. } 2: apply scale_gated_of. 2: apply scale_gated_size.
    destruct B as ((f & M & K & S & V) & H). split.
    + exists (fun r => dot (target r) (gated_output f r)). split; [|exact V]. exists (gated_output f), (gated_penalty f). split; [exists f; auto | now split].
    + destruct (dlt dzero L); [|exact I]. intros s (m & F & size & (h & Mh & _ & -> & ->) & Sh & E). destruct (H h Mh Sh) as (r & R & Q). exists r. now rewrite E.
  - apply (margins_from_bounds _ _ _ _ _ scale_network) with (N := val N) in B; auto.
    2: { intros; now apply scale_network_mine. } 2: { intros; simpl; apply map_length. } 2: apply scale_network_of. 2: apply scale_network_size.
    destruct B as ((f & M & K & S & V) & H). split.
    + exists (fun r => dot (target r) (output f r)). split; [|exact V]. exists (output f), (penalty f). split; [exists f; auto | now split].
    + destruct (dlt dzero L); [|exact I]. intros s (m & F & size & (h & Mh & _ & -> & ->) & Sh & E). destruct (H h Mh Sh) as (r & R & Q). exists r. now rewrite E.
Qed.
