(* SPDX-License-Identifier: Apache-2.0 *)
(* Several outputs (docs/reference/certificate.md, Section 5): prices of directions c, and cones that cover all directions. *)
From Coq Require Import ZArith Reals List Lra Lia Psatz Bool.
From Fathom Require Import Numbers Statement Linear Vectors Rows Duality Tree Prices Plane.
Import ListNotations.

(* --- prices of a direction and of its opposite --- *)

Inductive direction := Sides (P Q : dyadic) (above below : tree) | Kinks (P : dyadic) (l : list (tree * tree)) | Exact (P : dyadic).
Record setting := Setting { any_bias : bool; width : nat; centre : list dyadic; line : option (list dyadic * list dyadic); xs_of : list (list dyadic) }.
Definition direction_prices (S : setting) (v : list dyadic) (e : direction) : option (dyadic * dyadic) :=
  let given (holds : bool) (P Q : dyadic) := if dle dzero P && dle dzero Q && holds then Some (P, Q) else None in
  match e with
  | Sides P Q above below =>
      given (side_ok (any_bias S) (width S) (centre S) (xs_of S) v P above && side_ok (any_bias S) (width S) (centre S) (xs_of S) (map dneg v) Q below) P Q
  | Kinks P l =>
      given (any_bias S && deq (dsum v) dzero && Nat.eqb (length v) (length (xs_of S)) && kinks_ok (width S) (xs_of S) v P (xs_of S) l) P P
  | Exact P => given (exact_ok (any_bias S) (width S) (line S) (xs_of S) v P) P P
  end.

(* --- cones of directions --- *)

Record corner := Corner { parents : Z * Z; parts : dyadic * dyadic; at_corner : list dyadic; price_plus : dyadic; price_minus : dyadic }.
Definition edge := (Z * bool * corner)%type. (* the number of a corner, its sign *)
Definition edge_price (e : edge) : dyadic := if snd (fst e) then price_plus (snd e) else price_minus (snd e).
Definition directed (e : edge) : list dyadic := if snd (fst e) then at_corner (snd e) else map dneg (at_corner (snd e)).
Inductive cone_tree := Bisect (k : Z) (first second : cone_tree) | Piece (l : list dyadic).
Fixpoint picked (i : Z) (g : list edge) : option (edge * list edge) :=
  match g with
  | [] => None
  | e :: g => if (fst (fst e) =? i)%Z then Some (e, g) else match picked i g with Some (f, rest) => Some (f, e :: rest) | None => None end
  end.
(* c = a g + b h with a, b > 0, or - c. *)
Definition between (c : corner) (g h : edge) : option bool :=
  let a := if snd (fst g) then fst (parts c) else dneg (fst (parts c)) in
  let b := if snd (fst h) then snd (parts c) else dneg (snd (parts c)) in
  if dnull (dplus (at_corner c) (dtimes (dint (-1)) (dplus (dtimes a (directed g)) (dtimes b (directed h))))) then
    if dlt dzero a && dlt dzero b then Some true else if dlt a dzero && dlt b dzero then Some false else None
  else None.
(* The largest |l|^2 over the parts of a cone. *)
Fixpoint cone_bound (corners : list corner) (g : list edge) (t : cone_tree) : option dyadic :=
  match t with
  | Piece l => if forallb (fun e => dle (edge_price e) (ddot l (directed e))) g then Some (ddot l l) else None
  | Bisect k first second =>
      match znth k corners with
      | Some c =>
          match picked (fst (parents c)) g with
          | Some (p, more) =>
              match picked (snd (parents c)) more with
              | Some (q, rest) =>
                  match between c p q with
                  | Some turn =>
                      let e := (k, turn, c) in
                      match cone_bound corners (e :: q :: rest) first, cone_bound corners (e :: p :: rest) second with
                      | Some x, Some y => Some (dmax x y)
                      | _, _ => None
                      end
                  | None => None
                  end
              | None => None
              end
          | None => None
          end
      | None => None
      end
  end.

(* --- axes --- *)

Definition axis (differences : bool) (o k : nat) : list dyadic :=
  map (fun j => if Nat.eqb j k then done else if differences && Nat.eqb j (o - 1) then dint (-1) else dzero) (seq 0 o).
Definition corner_at (S : setting) (fan : bool) (vs : list (list dyadic)) (from : Z * Z) (by_ : dyadic * dyadic) (at_ : list dyadic) (e : direction) : option corner :=
  match direction_prices S (map (fun w => ddot w at_) vs) e with
  | Some (P, Q) => Some (if fan then Corner from by_ at_ P Q else Corner from by_ at_ (dmax P Q) (dmax P Q))
  | None => None
  end.
Fixpoint axes_of (S : setting) (fan differences : bool) (o : nat) (vs : list (list dyadic)) (k : nat) (l : list direction) : option (list corner) :=
  match l with
  | [] => Some []
  | e :: l => match corner_at S fan vs (-1, -1)%Z (dzero, dzero) (axis differences o k) e, axes_of S fan differences o vs (Datatypes.S k) l with
              | Some c, Some more => Some (c :: more)
              | _, _ => None
              end
  end.
Record new_corner := NewCorner { from_corners : Z * Z; in_parts : dyadic * dyadic; proved_by : direction }.
Fixpoint corners_of (S : setting) (fan : bool) (vs : list (list dyadic)) (known : list corner) (l : list new_corner) : option (list corner) :=
  match l with
  | [] => Some known
  | n :: l =>
      match znth (fst (from_corners n)) known, znth (snd (from_corners n)) known with
      | Some p, Some q =>
          match corner_at S fan vs (from_corners n) (in_parts n) (dplus (dtimes (fst (in_parts n)) (at_corner p)) (dtimes (snd (in_parts n)) (at_corner q))) (proved_by n) with
          | Some c => corners_of S fan vs (known ++ [c]) l
          | None => None
          end
      | _, _ => None
      end
  end.
Fixpoint all_signs (n : nat) : list (list bool) :=
  match n with O => [[]] | S n => map (fun s => s ++ [true]) (all_signs n) ++ map (fun s => s ++ [false]) (all_signs n) end.
Fixpoint edges_of (k : Z) (signs : list bool) (axes : list corner) : list edge :=
  match signs, axes with s :: signs, c :: axes => (k, s, c) :: edges_of (k + 1) signs axes | _, _ => [] end.
Fixpoint cones_bound (corners axes : list corner) (signs : list (list bool)) (cones : list cone_tree) : option dyadic :=
  match signs, cones with
  | [], [] => Some dzero
  | s :: signs, t :: cones =>
      match cone_bound corners (edges_of 0 s axes) t, cones_bound corners axes signs cones with Some x, Some y => Some (dmax x y) | _, _ => None end
  | _, _ => None
  end.
Inductive combination := Summed | Covered (fan differences : bool) (corners : list new_corner) (cones : list cone_tree).
Definition is_fan (h : combination) := match h with Covered fan _ _ _ => fan | _ => false end.
Definition by_differences (h : combination) := match h with Covered _ diff _ _ => diff | _ => false end.
(* The square of a price of all directions. *)
Definition outputs_bound (S : setting) (o : nat) (vs : list (list dyadic)) (l : list direction) (h : combination) : option dyadic :=
  let count := if by_differences h then (o - 1)%nat else o in
  if negb (Nat.eqb count 0) && Nat.eqb (length l) count && (negb (by_differences h) || forallb (fun w => deq (dsum w) dzero && Nat.leb (length w) o) vs) then
    match axes_of S (is_fan h) (by_differences h) o vs 0 l with
    | Some axes =>
        match h with
        | Summed => Some (dsum (map (fun c => dmul (price_plus c) (price_plus c)) axes))
        | Covered fan _ new cones =>
            match corners_of S fan vs axes new with
            | Some corners => cones_bound corners axes (if fan then all_signs count else map (cons true) (all_signs (count - 1))) cones
            | None => None
            end
        end
    | None => None
    end
  else None.

(* --- proofs --- *)
Open Scope R_scope.

Theorem direction_prices_spec S v e P Q : direction_prices S v e = Some (P, Q) ->
  priced (any_bias S) (width S) (paired v (xs_of S)) (val P) /\ priced (any_bias S) (width S) (paired (map dneg v) (xs_of S)) (val Q) /\ 0 <= val P /\ 0 <= val Q.
Proof.
  unfold direction_prices. destruct e as [P0 Q0 above below|P0 l|P0]; intro H;
    match type of H with (if ?c then _ else _) = _ => destruct c eqn:C; [|discriminate] end; injection H as <- <-; rewrite !andb_true_iff, !dle_spec, val_zero in C.
  - destruct C as ((Pp & Qp) & A & B). repeat split; auto; eapply side_ok_spec; eassumption.
  - destruct C as ((Pp & _) & ((F & Z) & L) & K). rewrite F. rewrite deq_spec, val_zero in Z. apply Nat.eqb_eq in L. repeat split; auto.
    + apply from_kinks; auto. intros x I. eapply kinks_each; eassumption.
    + apply from_kinks; auto; [now rewrite map_length | rewrite sum_neg; lra|]. intros x I. eapply kinks_each; eassumption.
  - destruct C as ((Pp & _) & E). pose proof (exact_ok_spec _ _ _ _ _ _ E) as G. repeat split; auto; intros u b U F; specialize (G u b U F).
    + eapply Rle_trans; [apply Rle_abs | exact G].
    + rewrite gain_neg. eapply Rle_trans; [apply Rle_abs|]. now rewrite Rabs_Ropp.
Qed.

Fixpoint span (g : list edge) (c : vec) : Prop :=
  match g with
  | [] => forall w, dot w c = 0
  | e :: g => exists mu d, 0 <= mu /\ span g d /\ forall w, dot w c = mu * dot w (vals (directed e)) + dot w d
  end.
Lemma picked_span i g e rest c : picked i g = Some (e, rest) -> span g c -> span (e :: rest) c.
Proof.
  revert rest c. induction g as [|f g IH]; intros rest c H S; simpl in H; [discriminate|]. destruct (fst (fst f) =? i)%Z; [injection H as <- <-; exact S|].
  destruct (picked i g) as [(f', r)|] eqn:P; [|discriminate]. injection H as <- <-. destruct S as (mu & d & M & S & E).
  destruct (IH r d eq_refl S) as (nu & d' & N & T & E'). exists nu, (plus (times mu (vals (directed f))) d'). split; [exact N|]. split.
  - exists mu, d'. repeat split; auto. intro w. now rewrite dot_plus_r, dot_times_r.
  - intro w. rewrite dot_plus_r, dot_times_r, E, E'. ring.
Qed.
Lemma picked_in i g e rest : picked i g = Some (e, rest) -> In e g /\ forall f, In f rest -> In f g.
Proof.
  revert rest. induction g as [|f g IH]; intros rest H; simpl in H; [discriminate|]. destruct (fst (fst f) =? i)%Z.
  - injection H as <- <-. split; [now left | intros; now right].
  - destruct (picked i g) as [(f', r)|]; [|discriminate]. injection H as <- <-. destruct (IH r eq_refl) as (A & B). split; [now right|]. intros h [<-|I]; [now left | right; auto].
Qed.
Lemma dot_neg w a : dot w (vals (map dneg a)) = - dot w (vals a).
Proof. revert w. induction a as [|p a IH]; intros [|q w]; simpl; try ring. fold (vals a) (vals (map dneg a)). rewrite IH, val_neg. ring. Qed.
Lemma between_spec c p q turn k : between c p q = Some turn -> exists a b, 0 < a /\ 0 < b /\
  forall w, dot w (vals (directed (k, turn, c))) = a * dot w (vals (directed p)) + b * dot w (vals (directed q)).
Proof.
  unfold between. set (a := if snd (fst p) then _ else _). set (b := if snd (fst q) then _ else _). destruct (dnull _) eqn:N; [|discriminate].
  assert (E : forall w, dot w (vals (at_corner c)) = val a * dot w (vals (directed p)) + val b * dot w (vals (directed q))).
  { intro w. pose proof (dnull_spec _ w N) as Z. rewrite vals_plus, vals_times, vals_plus, !vals_times, dot_plus, dot_times, dot_plus, !dot_times, val_int in Z. rewrite !(dot_comm w). lra. }
  destruct (dlt dzero a && dlt dzero b) eqn:P.
  - intros [= <-]. rewrite andb_true_iff, !dlt_spec, val_zero in P. exists (val a), (val b). repeat split; try tauto; exact E.
  - destruct (dlt a dzero && dlt b dzero) eqn:M; [|discriminate]. intros [= <-]. rewrite andb_true_iff, !dlt_spec, val_zero in M. exists (- val a), (- val b).
    split; [lra|]. split; [lra|]. intro w. unfold directed at 1. cbn [fst snd]. rewrite dot_neg, E. ring.
Qed.

Section Cone.
  Variable q : vec -> R -> Prop.
  Hypothesis q_zero : forall c, (forall w, dot w c = 0) -> q c 0.
  Hypothesis q_add : forall t a P d Q c, 0 <= t -> q a P -> q d Q -> (forall w, dot w c = t * dot w a + dot w d) -> q c (t * P + Q).
  Definition good (e : edge) : Prop := q (vals (directed e)) (val (edge_price e)).

  Lemma piece_spec g l c : (forall e, In e g -> good e /\ val (edge_price e) <= dot l (vals (directed e))) -> span g c -> exists r, q c r /\ r <= dot l c.
  Proof.
    revert c. induction g as [|e g IH]; intros c G S; simpl in S.
    - exists 0. split; [now apply q_zero | rewrite S; lra].
    - destruct S as (mu & d & M & S & E). destruct (IH d (fun f F => G f (or_intror F)) S) as (r & Q & B). destruct (G e (or_introl eq_refl)) as (Ge & Pe).
      exists (mu * val (edge_price e) + r). split; [eapply q_add; eauto|]. rewrite E. nra.
  Qed.
  Lemma cone_bound_spec corners t : (forall c k s, In c corners -> good (k, s, c)) -> forall g L c, cone_bound corners g t = Some L ->
    (forall e, In e g -> good e) -> span g c -> exists r, q c r /\ r <= sqrt (val L) * norm c.
  Proof.
    intro Gc. induction t as [k first IH1 second IH2|l]; intros g L c H G S; cbn [cone_bound] in H.
    - destruct (znth k corners) as [n|] eqn:Zk; [|discriminate]. destruct (picked (fst (parents n)) g) as [(p, more)|] eqn:P1; [|discriminate].
      destruct (picked (snd (parents n)) more) as [(h, rest)|] eqn:P2; [|discriminate]. destruct (between n p h) as [turn|] eqn:T; [|discriminate].
      destruct (cone_bound corners _ first) as [x|] eqn:B1; [|discriminate]. destruct (cone_bound corners _ second) as [y|] eqn:B2; [|discriminate]. injection H as <-.
      destruct (picked_in _ _ _ _ P1) as (I1 & R1). destruct (picked_in _ _ _ _ P2) as (I2 & R2).
      destruct (picked_span _ _ _ _ c P1 S) as (mu & d & M & S1 & E1). destruct (picked_span _ _ _ _ d P2 S1) as (nu & f & N & S2 & E2).
      destruct (between_spec n p h turn k T) as (a & b & A & B & E).
      assert (Gn : good (k, turn, n)) by (apply Gc; eapply znth_in; exact Zk).
      assert (Mx : sqrt (val x) <= sqrt (val (dmax x y)) /\ sqrt (val y) <= sqrt (val (dmax x y))).
      { rewrite val_max. split; apply sqrt_le_1_alt; [apply Rmax_l | apply Rmax_r]. }
      destruct (Rle_dec (mu * b) (nu * a)) as [C|C].
      + destruct (IH1 _ _ c B1) as (r & Q & Br).
        * intros e [<-|[<-|I]]; auto.
        * exists (mu / a), (plus (times (nu - mu * b / a) (vals (directed h))) f). split; [apply Rmult_le_pos; [exact M | apply Rlt_le, Rinv_0_lt_compat, A]|]. split.
          -- exists (nu - mu * b / a), f. repeat split; auto.
             ++ apply Rmult_le_reg_r with a; [exact A|]. unfold Rdiv. rewrite Rmult_0_l, Rmult_minus_distr_r, !Rmult_assoc, Rinv_l; lra.
             ++ intro w. now rewrite dot_plus_r, dot_times_r.
          -- intro w. rewrite E1, E2, E, dot_plus_r, dot_times_r. field. lra.
        * exists r. split; [exact Q|]. eapply Rle_trans; [exact Br|]. apply Rmult_le_compat_r; [apply norm_nonneg | tauto].
      + destruct (IH2 _ _ c B2) as (r & Q & Br).
        * intros e [<-|[<-|I]]; auto.
        * exists (nu / b), (plus (times (mu - nu * a / b) (vals (directed p))) f). split; [apply Rmult_le_pos; [exact N | apply Rlt_le, Rinv_0_lt_compat, B]|]. split.
          -- exists (mu - nu * a / b), f. repeat split; auto.
             ++ apply Rmult_le_reg_r with b; [exact B|]. unfold Rdiv. rewrite Rmult_0_l, Rmult_minus_distr_r, !Rmult_assoc, Rinv_l; lra.
             ++ intro w. now rewrite dot_plus_r, dot_times_r.
          -- intro w. rewrite E1, E2, E, dot_plus_r, dot_times_r. field. lra.
        * exists r. split; [exact Q|]. eapply Rle_trans; [exact Br|]. apply Rmult_le_compat_r; [apply norm_nonneg | tauto].
    - destruct (forallb _ g) eqn:F; [|discriminate]. injection H as <-. rewrite forallb_forall in F.
      destruct (piece_spec g (vals l) c) as (r & Q & Br); auto.
      { intros e I. split; auto. specialize (F e I). rewrite dle_spec, val_dot in F. exact F. }
      exists r. split; [exact Q|]. eapply Rle_trans; [exact Br|]. rewrite val_dot. apply dot_norm.
  Qed.
End Cone.

(* --- all directions --- *)

Lemma all_signs_in s : In s (all_signs (length s)).
Proof.
  induction s as [|b s IH] using rev_ind; [now left|]. rewrite app_length. simpl. rewrite Nat.add_1_r. simpl. apply in_or_app.
  destruct b; [left | right]; apply in_map_iff; eauto.
Qed.
Definition sign_of (y : R) : bool := if Rle_dec 0 y then true else false.
Fixpoint linear (ys : vec) (axes : list corner) : vec :=
  match ys, axes with y :: ys, a :: axes => plus (times y (vals (at_corner a))) (linear ys axes) | _, _ => [] end.
Lemma linear_span axes : forall ys k c, length ys = length axes -> (forall w, dot w c = dot w (linear ys axes)) -> span (edges_of k (map sign_of ys) axes) c.
Proof.
  induction axes as [|a axes IH]; intros [|y ys] k c L E; simpl in *; try discriminate.
  - intro w. rewrite E. apply dot_nil_r.
  - exists (Rabs y), (linear ys axes). split; [apply Rabs_pos|]. split; [apply IH; [lia | auto]|]. intro w. rewrite E, dot_plus_r, dot_times_r. f_equal.
    unfold directed, sign_of. cbn [fst snd]. destruct (Rle_dec 0 y); [rewrite Rabs_pos_eq by assumption; reflexivity|]. rewrite dot_neg, Rabs_left by lra. ring.
Qed.
Lemma cones_bound_in corners axes signs : forall cones L s, cones_bound corners axes signs cones = Some L -> In s signs ->
  exists t x, cone_bound corners (edges_of 0 s axes) t = Some x /\ val x <= val L.
Proof.
  induction signs as [|r signs IH]; intros [|t cones] L s H I; simpl in *; try discriminate; [destruct I|].
  destruct (cone_bound corners (edges_of 0 r axes) t) as [x|] eqn:X; [|discriminate]. destruct (cones_bound corners axes signs cones) as [y|] eqn:Y; [|discriminate]. injection H as <-.
  rewrite val_max. destruct I as [<-|I].
  - exists t, x. split; [exact X | apply Rmax_l].
  - destruct (IH _ _ _ Y I) as (t' & z & Z & B). exists t', z. split; [exact Z|]. eapply Rle_trans; [exact B | apply Rmax_r].
Qed.
Lemma edges_in k signs axes e : In e (edges_of k signs axes) -> In (snd e) axes.
Proof.
  revert k signs. induction axes as [|c axes IH]; intros k [|s signs]; simpl; try tauto. intros [<-|I]; [now left | right; eauto].
Qed.

(* The gain of the direction c. *)
Section Outputs.
  Variables (S : setting) (vs : list (list dyadic)).
  Definition toward (c : vec) : list (R * vec) := combine (map (fun w => dot (vals w) c) vs) (map vals (xs_of S)).
  Definition at_most_in (c : vec) (P : R) : Prop := priced (any_bias S) (width S) (toward c) P.
  Lemma toward_add t a d c u b : (forall w, dot w c = t * dot w a + dot w d) -> gain (toward c) u b = t * gain (toward a) u b + gain (toward d) u b.
  Proof.
    intro E. unfold gain, toward. generalize (xs_of S) as xs. induction vs as [|w l IH]; intros [|x xs]; simpl; try ring. rewrite IH, E. ring.
  Qed.
  Lemma most_zero c : (forall w, dot w c = 0) -> at_most_in c 0.
  Proof.
    intros E u b _ _. rewrite Rmult_0_l. right. unfold gain, toward. generalize (xs_of S) as xs. induction vs as [|w l IH]; intros [|x xs]; simpl; auto. rewrite IH, E. ring.
  Qed.
  Lemma most_add t a P d Q c : 0 <= t -> at_most_in a P -> at_most_in d Q -> (forall w, dot w c = t * dot w a + dot w d) -> at_most_in c (t * P + Q).
  Proof.
    intros T A D E u b U F. rewrite (toward_add t a d c u b E). specialize (A u b U F). specialize (D u b U F). nra.
  Qed.
  Lemma toward_paired a : paired (map (fun w => ddot w a) vs) (xs_of S) = toward (vals a).
  Proof. unfold paired, toward. f_equal. unfold vals at 1. rewrite map_map. apply map_ext. intro w. apply val_dot. Qed.
  Lemma toward_opposite a : paired (map dneg (map (fun w => ddot w a) vs)) (xs_of S) = toward (vals (map dneg a)).
  Proof. unfold paired, toward. f_equal. unfold vals at 1. rewrite !map_map. apply map_ext. intro w. now rewrite val_neg, val_dot, dot_neg. Qed.
  Lemma at_most_more c P Q : at_most_in c P -> P <= Q -> at_most_in c Q.
  Proof. intros H L u b U F. eapply Rle_trans; [apply H; auto|]. apply Rmult_le_compat_r; [apply norm_nonneg | exact L]. Qed.

  Definition sound (fan : bool) (c : corner) : Prop :=
    at_most_in (vals (at_corner c)) (val (price_plus c)) /\ at_most_in (vals (map dneg (at_corner c))) (val (price_minus c)) /\ 0 <= val (price_plus c) /\
    (fan = false -> price_plus c = price_minus c).
  Lemma corner_at_spec fan from by_ a e c : corner_at S fan vs from by_ a e = Some c -> sound fan c /\ at_corner c = a.
  Proof.
    unfold corner_at. destruct (direction_prices S _ e) as [(P, Q)|] eqn:D; [|discriminate]. intros [= <-]. apply direction_prices_spec in D as (A & B & Pp & Qp).
    rewrite toward_paired in A. rewrite toward_opposite in B. destruct fan; (split; [|reflexivity]); unfold sound; cbn [at_corner price_plus price_minus].
    - repeat split; auto. discriminate.
    - rewrite val_max. pose proof (Rmax_l (val P) (val Q)). pose proof (Rmax_r (val P) (val Q)). repeat split; [eapply at_most_more; eauto | eapply at_most_more; eauto | lra].
  Qed.
  Lemma axes_of_spec fan diff o l : forall k axes, axes_of S fan diff o vs k l = Some axes ->
    length axes = length l /\ (forall c, In c axes -> sound fan c) /\ map at_corner axes = map (axis diff o) (seq k (length l)).
  Proof.
    induction l as [|e l IH]; intros k axes H; cbn [axes_of] in H; [injection H as <-; split; [reflexivity | split; [intros c [] | reflexivity]]|].
    destruct (corner_at S fan vs _ _ (axis diff o k) e) as [c|] eqn:C; [|discriminate]. destruct (axes_of S fan diff o vs (Datatypes.S k) l) as [more|] eqn:M; [|discriminate]. injection H as <-.
    destruct (corner_at_spec _ _ _ _ _ _ C) as (Sc & Ac). destruct (IH _ _ M) as (L & G & E). simpl. rewrite L, Ac, E. split; [reflexivity|]. split; [|reflexivity]. intros f [<-|I]; auto.
  Qed.
  Lemma corners_of_spec fan l : forall known corners, corners_of S fan vs known l = Some corners -> (forall c, In c known -> sound fan c) -> forall c, In c corners -> sound fan c.
  Proof.
    induction l as [|n l IH]; intros known corners H G; cbn [corners_of] in H; [now injection H as <-|].
    destruct (znth _ known) as [p|]; [|discriminate]. destruct (znth _ known) as [r|]; [|discriminate].
    destruct (corner_at S fan vs _ _ _ (proved_by n)) as [c|] eqn:C; [|discriminate]. apply corner_at_spec in C as (Sc & _). eapply IH; [exact H|].
    intros f I. apply in_app_or in I as [I|[<-|[]]]; auto.
  Qed.
  Lemma sound_good fan c k s : sound fan c -> good at_most_in (k, s, c).
  Proof. intros (A & B & _). unfold good, directed, edge_price. cbn [fst snd]. destruct s; assumption. Qed.
  Lemma sound_good_back c k s : sound false c -> good (fun c => at_most_in (times (-1) c)) (k, s, c).
  Proof.
    intros (A & B & _ & E). specialize (E eq_refl). unfold good, directed, edge_price. cbn [fst snd].
    assert (X : forall a, times (-1) (vals a) = vals (map dneg a)). { intro a. unfold times, vals. rewrite !map_map. apply map_ext. intro. rewrite val_neg. ring. }
    destruct s; rewrite X; [rewrite E; exact B|]. rewrite <- E. rewrite map_map. rewrite (map_ext _ (fun t => t)), map_id; [exact A|]. intro t. destruct t. Transparent dneg. unfold dneg. simpl. now rewrite Z.opp_involutive.
  Qed.
  Opaque dneg.
  Lemma back_zero c : (forall w, dot w c = 0) -> at_most_in (times (-1) c) 0.
  Proof. intro E. apply most_zero. intro w. rewrite dot_times_r, E. ring. Qed.
  Lemma back_add t a P d Q c : 0 <= t -> at_most_in (times (-1) a) P -> at_most_in (times (-1) d) Q -> (forall w, dot w c = t * dot w a + dot w d) ->
    at_most_in (times (-1) c) (t * P + Q).
  Proof. intros T A D E. eapply most_add; eauto. intro w. rewrite !dot_times_r, E. ring. Qed.
  Lemma most_same c d P : (forall w, In w vs -> dot (vals w) c = dot (vals w) d) -> at_most_in c P -> at_most_in d P.
  Proof.
    intros E H u b U F. specialize (H u b U F). unfold toward in *. rewrite (map_ext_in _ (fun w => dot (vals w) c)) by (intros w I; symmetry; auto). exact H.
  Qed.

  (* A vector in the span of the axes. *)
  Lemma spanned h o axes L : forall ys c, length ys = length axes -> (forall w, dot w c = dot w (linear ys axes)) ->
    (forall e, In e axes -> sound (is_fan h) e) -> axes <> [] ->
    match h with
    | Summed => L = dsum (map (fun c => dmul (price_plus c) (price_plus c)) axes) /\ dot ys ys <= dot c c
    | Covered fan _ new cones => exists corners, corners_of S fan vs axes new = Some corners /\
        cones_bound corners axes (if fan then all_signs (length axes) else map (cons true) (all_signs (length axes - 1))) cones = Some L
    end -> o = length axes -> exists r, at_most_in c r /\ r <= sqrt (val L) * norm c.
  Proof.
    intros ys c Ly E G Ne H _. destruct h as [|fan diff new cones].
    - destruct H as (-> & N). 
      (* sum_k |y_k| P_k <= |P||y| *)
      assert (K : forall axes ys c, length ys = length axes -> (forall w, dot w c = dot w (linear ys axes)) -> (forall e, In e axes -> sound false e) ->
        at_most_in c (dot (map Rabs ys) (map (fun e => val (price_plus e)) axes))).
      { clear. induction axes as [|a axes IH]; intros [|y ys] c L E G; simpl in *; try discriminate.
        - apply most_zero. intro w. rewrite E. apply dot_nil_r.
        - destruct (G a (or_introl eq_refl)) as (A & B & _ & Q). specialize (Q eq_refl). specialize (IH ys (linear ys axes) ltac:(lia) ltac:(auto) ltac:(auto)).
          destruct (Rle_dec 0 y) as [Y|Y].
          + rewrite Rabs_pos_eq by assumption. eapply most_add; [exact Y | exact A | exact IH|]. intro w. rewrite E, dot_plus_r, dot_times_r. ring.
          + rewrite Rabs_left by lra. rewrite Q. eapply (most_add (- y)); [lra | exact B | exact IH|]. intro w. rewrite E, dot_plus_r, dot_times_r, dot_neg. ring. }
      exists (dot (map Rabs ys) (map (fun e => val (price_plus e)) axes)). split; [apply K; auto|]. eapply Rle_trans; [apply dot_norm|].
      rewrite Rmult_comm. apply Rmult_le_compat; try apply norm_nonneg.
      + right. unfold norm. f_equal. rewrite val_sum. clear. induction axes as [|a axes IH]; simpl; [reflexivity|]. rewrite IH, val_mul. reflexivity.
      + unfold norm. apply sqrt_le_1_alt. eapply Rle_trans; [|exact N]. right. clear. induction ys as [|y ys IH]; simpl; [reflexivity|]. rewrite IH. f_equal. unfold Rabs. destruct (Rcase_abs y); ring.
    - destruct H as (corners & Cs & H).
      assert (Gc : forall e, In e corners -> sound fan e) by (eapply corners_of_spec; eauto).
      assert (W : forall q : vec -> R -> Prop, (forall c, (forall w, dot w c = 0) -> q c 0) ->
        (forall t a P d Q c, 0 <= t -> q a P -> q d Q -> (forall w, dot w c = t * dot w a + dot w d) -> q c (t * P + Q)) ->
        (forall e k s, sound fan e -> good q (k, s, e)) -> forall zs c, length zs = length axes -> (forall w, dot w c = dot w (linear zs axes)) ->
        In (map sign_of zs) (if fan then all_signs (length axes) else map (cons true) (all_signs (length axes - 1))) -> exists r, q c r /\ r <= sqrt (val L) * norm c).
      { intros q Q0 Q1 Gq zs d Lz Ez I. destruct (cones_bound_in _ _ _ _ _ _ H I) as (t & x & X & Xl).
        destruct (cone_bound_spec q Q0 Q1 corners t ltac:(intros; apply Gq; auto) _ _ d X) as (r & Qr & Br).
        - intros ((k, s), e) J. apply Gq. apply edges_in in J. auto.
        - apply linear_span; auto.
        - exists r. split; [exact Qr|]. eapply Rle_trans; [exact Br|]. apply Rmult_le_compat_r; [apply norm_nonneg | now apply sqrt_le_1_alt]. }
      destruct fan.
      + apply (W at_most_in most_zero most_add ltac:(intros; eapply sound_good; eauto) ys c Ly E). rewrite <- Ly, <- (map_length sign_of ys). apply all_signs_in.
      + destruct axes as [|a0 axes]; [contradiction|]. destruct ys as [|y ys]; [discriminate|].
        assert (Sg : forall z zs, length zs = length axes -> 0 <= z -> In (map sign_of (z :: zs)) (map (cons true) (all_signs (length (a0 :: axes) - 1)))).
        { intros z zs Lz Z. simpl. rewrite Nat.sub_0_r. unfold sign_of at 1. destruct (Rle_dec 0 z); [|contradiction]. apply in_map. rewrite <- Lz, <- (map_length sign_of zs). apply all_signs_in. }
        destruct (Rle_dec 0 y) as [Y|Y].
        * apply (W at_most_in most_zero most_add ltac:(intros; eapply sound_good; eauto) (y :: ys) c Ly E). apply Sg; [simpl in Ly; lia | exact Y].
        * destruct (W (fun c => at_most_in (times (-1) c)) back_zero back_add ltac:(intros; now apply sound_good_back) (times (-1) (y :: ys)) (times (-1) c)) as (r & Q & B).
          -- unfold times. now rewrite map_length.
          -- intro w. rewrite dot_times_r, E. assert (Lin : forall zs l, dot w (linear (times (-1) zs) l) = -1 * dot w (linear zs l)).
             { clear. induction zs as [|z zs IH]; intros [|a l]; simpl; rewrite ?dot_nil_r; try ring. rewrite !dot_plus_r, !dot_times_r. change (map (Rmult (-1)) zs) with (times (-1) zs). rewrite IH. ring. }
             now rewrite Lin.
          -- change (times (-1) (y :: ys)) with (-1 * y :: times (-1) ys). apply Sg; [unfold times; rewrite map_length; simpl in Ly; lia | lra].
          -- exists r. split.
             ++ eapply most_same; [|exact Q]. intros w _. rewrite !dot_times_r. ring.
             ++ eapply Rle_trans; [exact B|]. right. f_equal. unfold norm. rewrite dot_times, dot_times_r. f_equal. ring.
  Qed.

  Lemma sum_pick (f : nat -> R) k n m : (m <= k < m + n)%nat -> sum (map (fun j => if Nat.eqb j k then f j else 0) (seq m n)) = f k.
  Proof.
    revert m. induction n as [|n IH]; intros m H; [lia|]. simpl. destruct (Nat.eqb_spec m k) as [->|N].
    - rewrite (sum_ext _ (fun _ => 0)), sum_zero; [ring|]. intros j J. apply in_seq in J. destruct (Nat.eqb_spec j k); [lia | reflexivity].
    - rewrite IH by lia. ring.
  Qed.
  Lemma dot_axis diff o k w : (k < o)%nat -> (diff = true -> (k < o - 1)%nat) ->
    dot w (vals (axis diff o k)) = nth k w 0 - if diff then nth (o - 1) w 0 else 0.
  Proof.
    intros K D. rewrite dot_comm. unfold axis. unfold vals. rewrite map_map, dot_seq, map_length, seq_length.
    set (f := fun j => val (if Nat.eqb j k then done else if diff && Nat.eqb j (o - 1) then dint (-1) else dzero)).
    rewrite (sum_ext _ (fun j => (if Nat.eqb j k then nth j w 0 else 0) + (-1) * (if Nat.eqb j (o - 1) then (if diff then nth j w 0 else 0) else 0))).
    - rewrite sum_plus, sum_times, (sum_pick (fun j => nth j w 0)), (sum_pick (fun j => if diff then nth j w 0 else 0)) by lia. destruct diff; ring.
    - intros j J. apply in_seq in J. rewrite (nth_indep _ 0 (f 0%nat)) by (rewrite map_length, seq_length; lia). rewrite map_nth, seq_nth by lia. simpl. unfold f.
      destruct (Nat.eqb_spec j k) as [->|Nk]; destruct diff; simpl.
      + destruct (Nat.eqb_spec k (o - 1)); [specialize (D eq_refl); lia|]. rewrite val_one. ring.
      + rewrite val_one. destruct (Nat.eqb k (o - 1)); ring.
      + destruct (Nat.eqb j (o - 1)); rewrite ?val_int, ?val_zero; ring.
      + rewrite val_zero. destruct (Nat.eqb j (o - 1)); ring.
  Qed.
  Lemma dot_linear axes ys w : length ys = length axes -> dot w (linear ys axes) = sum (map (fun k => nth k ys 0 * dot w (vals (nth k (map at_corner axes) []))) (seq 0 (length axes))).
  Proof.
    revert ys. induction axes as [|a axes IH]; intros [|y ys] L; simpl in *; try discriminate; [apply dot_nil_r|].
    rewrite dot_plus_r, dot_times_r, IH by lia. rewrite <- seq_shift, map_map. reflexivity.
  Qed.

  Theorem outputs_bound_spec o l h L : outputs_bound S o vs l h = Some L -> forall c, length c = o -> at_most_in c (sqrt (val L) * norm c).
  Proof.
    intros H c Lc. unfold outputs_bound in H. set (count := if by_differences h then (o - 1)%nat else o) in H.
    match type of H with (if ?b then _ else _) = _ => destruct b eqn:B; [|discriminate] end. rewrite !andb_true_iff, negb_true_iff, Nat.eqb_neq, Nat.eqb_eq in B. destruct B as ((Cz & Ll) & Df).
    destruct (axes_of S (is_fan h) (by_differences h) o vs 0 l) as [axes|] eqn:A; [|discriminate]. destruct (axes_of_spec _ _ _ _ _ _ A) as (La & G & At).
    assert (Ne : axes <> []) by (intro Z; rewrite Z in La; simpl in La; lia).
    assert (Fin : forall ys d, length ys = length axes -> (forall w, dot w d = dot w (linear ys axes)) -> (h = Summed -> dot ys ys <= dot d d) -> exists r, at_most_in d r /\ r <= sqrt (val L) * norm d).
    { intros ys d Ly E N. apply (spanned h (length axes) axes L ys d Ly E G Ne); auto. destruct h as [|fan diff new cones].
      - injection H as <-. auto.
      - destruct (corners_of S fan vs axes new) as [corners|] eqn:C; [|discriminate]. exists corners. split; [reflexivity|]. assert (Q : length axes = count) by congruence. rewrite Q. exact H. }
    assert (Ax : forall w k, (k < length axes)%nat -> dot w (vals (nth k (map at_corner axes) [])) = nth k w 0 - if by_differences h then nth (o - 1) w 0 else 0).
    { intros w k K. rewrite At. rewrite (nth_indep _ [] (axis (by_differences h) o 0)) by (rewrite map_length, seq_length; lia). rewrite map_nth, seq_nth by lia. simpl.
      apply dot_axis; unfold count in *; destruct (by_differences h); lia. }
    assert (Done : forall d, (exists r, at_most_in d r /\ r <= sqrt (val L) * norm d) -> norm d <= norm c -> (forall w, In w vs -> dot (vals w) d = dot (vals w) c) -> at_most_in c (sqrt (val L) * norm c)).
    { intros d (r & Q & Br) Nd Sm. apply (most_same d); [exact Sm|]. eapply at_most_more; [exact Q|]. eapply Rle_trans; [exact Br|]. apply Rmult_le_compat_l; [apply sqrt_pos | exact Nd]. }
    destruct (by_differences h) eqn:D.
    - (* c less its mean *)
      simpl in Df. rewrite forallb_forall in Df. set (m := sum c / INR o). assert (Op : (0 < o)%nat) by (unfold count in *; lia).
      assert (Ro : 0 < INR o) by (now apply lt_0_INR).
      set (d := map (fun t => t - m) c). assert (Ld : length d = o) by (unfold d; now rewrite map_length).
      assert (Sm : forall l : vec, sum (map (fun t => t - m) l) = sum l - INR (length l) * m).
      { induction l0 as [|t l0 IH]; [simpl; ring|]. simpl sum. rewrite IH. cbn [length]. rewrite S_INR. ring. }
      assert (Sd : sum d = 0). { unfold d. rewrite Sm, Lc. unfold m. field. lra. }
      set (ys := firstn (o - 1) d). assert (Lys : length ys = (o - 1)%nat) by (unfold ys; rewrite firstn_length; lia).
      assert (Dsplit : d = ys ++ [nth (o - 1) d 0]).
      { assert (Sk : forall k (e : vec), length e = Datatypes.S k -> skipn k e = [nth k e 0]).
        { clear. induction k as [|k IH]; intros [|t e] Lk; simpl in *; try discriminate; [destruct e; [reflexivity | discriminate]|]. apply IH. lia. }
        unfold ys. rewrite <- (firstn_skipn (o - 1) d) at 1. f_equal. apply Sk. lia. }
      apply (Done d).
      + apply (Fin ys d); [rewrite La, Ll; unfold count; lia| |intros ->; discriminate D].
        intro w. rewrite dot_linear by (rewrite La, Ll; unfold count; lia).
        rewrite (sum_ext _ (fun k => nth k ys 0 * nth k w 0 + (- nth (o - 1) w 0) * nth k ys 0)) by (intros k K; apply in_seq in K; rewrite Ax by lia; ring).
        rewrite sum_plus, sum_times. replace (length axes) with (length ys) by (rewrite La, Ll; unfold count; lia). rewrite seq_map, <- dot_seq, (dot_comm w d).
        assert (Sy : sum ys = - nth (o - 1) d 0). { rewrite Dsplit in Sd. rewrite sum_app in Sd. simpl in Sd. lra. }
        rewrite Sy. rewrite Dsplit at 1.
        assert (App : forall (a : vec) t w, dot (a ++ [t]) w = dot a w + t * nth (length a) w 0).
        { clear. induction a as [|p a IH]; intros t [|x w]; simpl; try ring. rewrite IH. ring. }
        rewrite App, Lys. ring.
      + unfold norm. apply sqrt_le_1_alt.
        assert (Q : forall l : vec, dot (map (fun t => t - m) l) (map (fun t => t - m) l) = dot l l - 2 * m * sum l + INR (length l) * m * m).
        { induction l0 as [|t l0 IH]; [simpl; ring|]. cbn [map dot length]. rewrite IH. change (sum (t :: l0)) with (t + sum l0). rewrite S_INR. ring. }
        unfold d. rewrite Q, Lc. assert (E : sum c = INR o * m) by (unfold m; field; lra). rewrite E. assert (0 <= INR o * (m * m)) by (apply Rmult_le_pos; [lra | apply Rle_0_sqr]). lra.
      + intros w I. specialize (Df w I). rewrite andb_true_iff, deq_spec, val_sum, val_zero, Nat.leb_le in Df. destruct Df as (Zw & Lw).
        assert (X : forall (a b : vec), (length a <= length b)%nat -> dot a (map (fun t => t - m) b) = dot a b - m * sum a).
        { clear. induction a as [|p a IH]; intros [|x b] L; simpl in *; try lia; try ring. rewrite IH by lia. ring. }
        unfold d. rewrite X by (rewrite vals_length; lia). rewrite Zw. ring.
    - apply (Done c); [|lra | reflexivity]. apply (Fin c c); [rewrite La, Ll; unfold count; lia | |intros; lra].
      intro w. rewrite dot_linear by (rewrite La, Ll; unfold count; lia).
      rewrite (sum_ext _ (fun k => nth k c 0 * nth k w 0)) by (intros k K; apply in_seq in K; rewrite Ax by lia; ring).
      replace (length axes) with (length c) by (rewrite La, Ll; unfold count; lia). rewrite <- dot_seq. apply dot_comm.
  Qed.
End Outputs.

(* Networks of several outputs. *)
Lemma price_outputs f (dual : list (row * vec)) B o d free : unbiased free f -> shaped o d f ->
  (free = true -> forall c, sum (map (fun p : row * vec => dot (snd p) c) dual) = 0) ->
  (forall c u b, length c = o -> length u = d -> (free = false -> b = 0) ->
     sum (map (fun p : row * vec => dot (snd p) c * relu (dot (point (fst p)) u + b)) dual) <= B * norm c * norm u) ->
  sum (map (fun p : row * vec => dot (snd p) (output f (fst p))) dual) <= B * penalty f.
Proof.
  intros U (_ & Sh) Z H.
  assert (K : sum (map (fun p : row * vec => dot (snd p) (constant f)) dual) = 0).
  { destruct U as [F|(C & _)]; [now apply Z|]. rewrite C, (sum_ext _ (fun _ => 0)), sum_zero; auto. intros. apply dot_nil_r. }
  rewrite (sum_ext _ (fun p : row * vec => dot (snd p) (constant f) + sum (map (fun j => dot (snd p) (outer j) * relu (dot (point (fst p)) (inner j) + shift j)) (neurons f)))).
  2: { intros p _. unfold output. rewrite dot_plus_r, dot_total_r, map_map. f_equal. apply sum_ext. intros j _. rewrite dot_times_r, (dot_comm (inner j)). ring. }
  rewrite sum_plus, K, Rplus_0_l, sum_swap. unfold penalty. rewrite <- sum_times. apply sum_le. intros j J. destruct (Sh j J) as (Jo & Jd).
  eapply Rle_trans; [apply H; auto|right; ring]. intro F. destruct U as [T|(_ & S)]; [congruence | auto].
Qed.
