(* SPDX-License-Identifier: Apache-2.0 *)
(* What an accepted certificate says. A reader who believes this file, and Data.v's reading of the data, need not read another:
   Check.v proves that whatever the checker accepts `holds`. *)
From Coq Require Import ZArith Reals Ratan List String.
From Fathom Require Import Numbers Data.
Import ListNotations.
Open Scope R_scope.

(* --- vectors: lists of reals; what is not listed is 0 --- *)
Definition vec := list R.
Fixpoint plus (a b : vec) : vec :=
  match a, b with [], _ => b | _, [] => a | p :: a, q :: b => p + q :: plus a b end.
Definition times (t : R) (a : vec) : vec := map (Rmult t) a.
Fixpoint dot (a b : vec) : R := match a, b with p :: a, q :: b => p * q + dot a b | _, _ => 0 end.
Definition norm (a : vec) : R := sqrt (dot a a).
Definition sum (l : list R) : R := fold_right Rplus 0 l.
Definition total (l : list vec) : vec := fold_right plus [] l.

(* --- the data: rows x_i with targets y_i, weights c_i, and D_ij, whether gate j is open on row i --- *)
Record row := Row { point : vec; target : vec; weight : R; opens : nat -> bool }.

(* --- two-layer networks --- *)
Definition relu (t : R) : R := Rmax 0 t.
(* ReLU: f(x) = c + sum_j w_j relu(<u_j, x> + b_j), of penalty sum_j |w_j||u_j|. *)
Record neuron := Neuron { outer : vec; inner : vec; shift : R }.
Record network := Network { neurons : list neuron; constant : vec }.
Definition output (f : network) (r : row) : vec :=
  plus (constant f) (total (map (fun j => times (relu (dot (inner j) (point r) + shift j)) (outer j)) (neurons f))).
Definition penalty (f : network) : R := sum (map (fun j => norm (outer j) * norm (inner j)) (neurons f)).
(* Gated: f(x_i) = c + sum_j D_ij W_j x_i, W_j of o rows, of penalty sum_j |W_j| (Frobenius). *)
Record gated_neuron := Gated { gate : nat; maps : list vec }.
Record gated_network := GatedNetwork { gated_neurons : list gated_neuron; gated_constant : vec }.
Definition gated_output (f : gated_network) (r : row) : vec :=
  plus (gated_constant f) (total (map (fun j => if opens r (gate j) then map (fun w => dot w (point r)) (maps j) else []) (gated_neurons f))).
Definition gated_penalty (f : gated_network) : R := sum (map (fun j => sqrt (sum (map (fun w => dot w w) (maps j)))) (gated_neurons f)).

(* --- losses; those with constraints are 0 where these hold --- *)
Inductive loss := Squared | Hinge | Huber (D : R) | Absolute | Quantile (T : R) | Equality (residual : R) | Margin
  | Logistic | Softmax.
Definition entry (a : vec) : R := nth 0 a 0.
Definition huber (D r : R) : R := if Rle_dec (Rabs r) D then r * r / 2 else D * Rabs r - D * D / 2.
Definition loss_at (l : loss) (f y : vec) : R :=
  match l with
  | Squared => let miss := plus f (times (-1) y) in dot miss miss / 2
  | Hinge => Rmax 0 (1 - dot y f)
  | Huber D => huber D (entry y - entry f)
  | Absolute => Rabs (entry y - entry f)
  | Quantile T => Rmax (T * (entry y - entry f)) ((T - 1) * (entry y - entry f))
  | Equality _ | Margin => 0
  | Logistic => ln (1 + exp (- dot y f))
  | Softmax => ln (sum (map (fun k => exp (nth k f 0)) (seq 0 (List.length y)))) - dot y f
  end.
Definition allowed (l : loss) (f y : vec) : Prop :=
  match l with
  | Equality r => forall k, Rabs (nth k f 0 - nth k y 0) <= r
  | Margin => 1 <= dot y f
  | _ => True
  end.

(* --- the objective F = (1/N) sum_i c_i l(f_i, y_i) + beta R --- *)
Record problem := Problem { loss_of : loss; divisor : R; beta : R; data : list row }.
Definition objective (P : problem) (f : row -> vec) (size : R) : R :=
  sum (map (fun r => weight r * loss_at (loss_of P) (f r) (target r)) (data P)) / divisor P + beta P * size.
Definition feasible (P : problem) (f : row -> vec) : Prop := forall r, In r (data P) -> allowed (loss_of P) (f r) (target r).

(* Networks that a bound speaks of: with o outputs and d columns; biases and constants are 0 unless they are free. *)
Definition unbiased (free : bool) (f : network) : Prop :=
  free = true \/ (constant f = [] /\ forall j, In j (neurons f) -> shift j = 0).
Definition shaped (o d : nat) (f : network) : Prop :=
  (List.length (constant f) <= o)%nat /\ forall j, In j (neurons f) -> List.length (outer j) = o /\ List.length (inner j) = d.
Definition gated_shaped (o d m : nat) (free : bool) (f : gated_network) : Prop :=
  (free = true \/ gated_constant f = []) /\ (List.length (gated_constant f) <= o)%nat /\
  forall j, In j (gated_neurons f) -> (gate j < m)%nat /\ List.length (maps j) = o /\ forall w, In w (maps j) -> List.length w = d.
(* u lies in the closed cone of gate j: where <x_i, u> >= 0 or <= 0 as the gate is open on row i or not. *)
Definition in_cone (rows : list row) (j : nat) (u : vec) : Prop :=
  forall r, In r rows -> if opens r j then 0 <= dot (point r) u else dot (point r) u <= 0.

(* A neuron that feeds one output: at most one entry of w is not 0 (so with one output always). *)
Definition feeds_one (w : vec) : Prop := forall k l, nth k w 0 <> 0 -> nth l w 0 <> 0 -> k = l.

(* The gates 0 .. m - 1 are all cones into which the hyperplanes <x_i, u> = 0 cut the space: each has a point off all of them, no two are
   the same, and every point off all of them lies in one. *)
Definition off (rows : list row) (u : vec) : Prop := forall r, In r rows -> dot (point r) (point r) <> 0 -> dot (point r) u <> 0.
Definition opens_as (rows : list row) (k : nat) (u : vec) : Prop := forall r, In r rows -> (opens r k = true <-> 0 < dot (point r) u).
Definition all_cones (rows : list row) (m : nat) : Prop :=
  (forall k, (k < m)%nat -> exists v, off rows v /\ opens_as rows k v) /\
  (forall j k, (j < k < m)%nat -> exists r, In r rows /\ opens r j <> opens r k) /\
  (forall u, off rows u -> exists k, (k < m)%nat /\ opens_as rows k u).

(* --- averages over gates u, for networks of infinite width: any linear mean that does not see the hyperplanes of the rows --- *)
Record average (rows : list row) := Average {
  integrable : (vec -> R) -> Prop;
  mean : (vec -> R) -> R;
  of_sum : forall f g, integrable f -> integrable g -> integrable (fun u => f u + g u) /\ mean (fun u => f u + g u) = mean f + mean g;
  of_multiple : forall t f, integrable f -> integrable (fun u => t * f u) /\ mean (fun u => t * f u) = t * mean f;
  of_null : forall f g, (forall u, (forall r, In r rows -> dot (point r) (point r) <> 0 -> dot (point r) u <> 0) -> f u = g u) ->
            integrable f -> integrable g /\ mean g = mean f }.
(* The feature of row r at gate u in the direction v(u). *)
Definition feature (v : vec -> vec) (r : row) (u : vec) : R := if Rlt_dec 0 (dot (point r) u) then dot (point r) (v u) else 0.

(* The plane: 1 for directions u between a and b, counterclockwise, and an average that gives to such a sector its angle over 2 pi: so at random. *)
Definition cross (a b : vec) : R := nth 0 a 0 * nth 1 b 0 - nth 1 a 0 * nth 0 b 0.
Definition angle (a b : vec) : R := acos (dot a b / (norm a * norm b)).
Definition sector (a b u : vec) : R := if Rlt_dec 0 (cross a u) then if Rlt_dec 0 (cross u b) then 1 else 0 else 0.
Record round_average (rows : list row) := Round {
  plain : average rows;
  of_sector : forall a b, List.length a = 2%nat -> List.length b = 2%nat -> 0 < cross a b \/ (cross a b = 0 /\ dot a b < 0) ->
              integrable _ plain (sector a b) /\ mean _ plain (sector a b) = angle a b / (2 * PI);
  of_order : forall f g, integrable _ plain f -> integrable _ plain g -> (forall u, off rows u -> f u <= g u) -> mean _ plain f <= mean _ plain g }.

(* --- one cone: <x_i, u> > 0 for the rows marked in a pattern, <= 0 for the others --- *)
Definition in_pattern (d : nat) (rows : list row) (pattern : list bool) (u : vec) : Prop :=
  List.length u = d /\ forall i r, nth_error rows i = Some r -> if nth i pattern false then 0 < dot (point r) u else dot (point r) u <= 0.
Definition same (a b : vec) : Prop := forall y, dot a y = dot b y.
Definition combination (c : list R) (b : list vec) : vec := total (map (fun p => times (fst p) (snd p)) (combine c b)).
Definition independent (b : list vec) : Prop := forall c, List.length c = List.length b -> same (combination c b) [] -> forall t, In t c -> t = 0.
(* b is a basis of the space that the points of a set span. *)
Definition basis_of (inside : vec -> Prop) (b : list vec) : Prop :=
  independent b /\ (forall v, In v b -> exists t u w, inside u /\ inside w /\ same v (times t (plus u (times (-1) w)))) /\
  forall u, inside u -> exists c, List.length c = List.length b /\ same u (combination c b).

(* --- tangent kernels: H_rs of two rows; angles and, of the first layer of listed gates, k_j / M of which are gate j --- *)
Inductive kernel := FirstLayerWide | FirstLayerGates (counts : list Z) (M : Z).
Definition share (counts : list Z) (M : Z) (r s : row) : R :=
  sum (map (fun j => if opens r j then if opens s j then IZR (nth j counts 0%Z) / IZR M else 0 else 0) (seq 0 (List.length counts))).
Definition kernel_at (k : kernel) (factor : R) (r s : row) : R :=
  factor * (dot (point r) (point s) * match k with
                                      | FirstLayerWide => (PI - angle (point r) (point s)) / (2 * PI)
                                      | FirstLayerGates counts M => share counts M r s
                                      end).
(* v'Hv, and an entry of Hv. *)
Definition kernel_row (h : row -> row -> R) (rows : list row) (v : vec) (r : row) : R :=
  sum (map (fun q => fst q * h r (snd q)) (combine v rows)).
Definition kernel_form (h : row -> row -> R) (rows : list row) (v : vec) : R :=
  sum (map (fun p => fst p * kernel_row h rows v (snd p)) (combine v rows)).
(* Gates at random: two half-spaces have in common what their angle says, and what is nowhere negative has no negative mean. *)
Definition both_open (r s : row) (u : vec) : R := if Rlt_dec 0 (dot (point r) u) then if Rlt_dec 0 (dot (point s) u) then 1 else 0 else 0.
Record isotropic (rows : list row) := Isotropic {
  random : average rows;
  of_pair : forall r s, In r rows -> In s rows -> integrable _ random (fun u => dot (point r) (point s) * both_open r s u) /\
            mean _ random (fun u => dot (point r) (point s) * both_open r s u) = dot (point r) (point s) * ((PI - angle (point r) (point s)) / (2 * PI));
  of_sign : forall f, integrable _ random f -> (forall u, 0 <= f u) -> 0 <= mean _ random f }.
(* At infinite width: there are such averages. *)
Definition drawn (k : kernel) (rows : list row) : Prop := match k with FirstLayerWide => inhabited (isotropic rows) | _ => True end.
Inductive spectral_end := Least | Greatest | Null.

(* --- claims --- *)
Inductive evidence := NoBound | ByGates | ByCones | ByTrees.
Inductive dloss := DSquared | DHinge | DHuber (D : dyadic) | DAbsolute | DQuantile (T : dyadic) | DEquality (residual : dyadic) | DMargin
  | DLogistic | DSoftmax.
Definition real_loss (l : dloss) : loss :=
  match l with
  | DSquared => Squared | DHinge => Hinge | DHuber D => Huber (val D) | DAbsolute => Absolute | DQuantile T => Quantile (val T)
  | DEquality r => Equality (val r) | DMargin => Margin | DLogistic => Logistic | DSoftmax => Softmax
  end.
Inductive claim :=
  | Train (gated : bool) (l : dloss) (N beta : dyadic) (by_ : evidence) (listed : nat) (upper lower : dyadic)
  (* the loss margin, answered as a margin; upper None: infinite *)
  | Largest (gated : bool) (N beta : dyadic) (by_ : evidence) (listed : nat) (upper : option dyadic) (lower : dyadic)
  | Units (counts : list Z) (M : Z) (upper lower : dyadic)
  | Neurons (gains : list dyadic) (M : Z) (upper lower : dyadic)
  | PlaneMargin (upper lower : dyadic)
  | ZeroMargin
  | Cones (count : nat)
  | EmptyCone (pattern : list bool)
  | SpikeFree
  | SpikeShown (least : option dyadic)
  | ConeDimension (pattern : list bool) (k : nat)
  | Faces (count : nat)
  | Spectrum (k : kernel) (factor : dyadic) (which : spectral_end) (upper lower : dyadic).

(* Listed gates: orientations v_j, open where <x_i, v_j> > 0, or patterns. *)
Inductive gates := Orientations (l : list (list dyadic)) | Patterns (l : list (list bool)).
(* The SHA-256 of the data, and that of a file of labels, where there is one. *)
Record statement := Statement { hash : string; labels_hash : option string; about : source; listed_gates : gates; claimed : claim }.

Definition gate_count (g : gates) : nat := match g with Orientations l => List.length l | Patterns l => List.length l end.
Definition is_open (g : gates) (x : vec) (i j : nat) : bool :=
  match g with
  | Orientations l => if Rlt_dec 0 (dot x (map val (nth j l []))) then true else false
  | Patterns l => nth i (nth j l []) false
  end.
Fixpoint real_rows (g : gates) (i : nat) (l : list drow) : list row :=
  match l with
  | [] => []
  | r :: rest => let x := map val (dpoint r) in
                 Row x (map val (dtarget r)) (val (dweight r)) (is_open g x i) :: real_rows g (S i) rest
  end.

(* Margins: gates weigh k_j / M; units: score_i = sum_j (k_j / M) D_ij y_i <x_i, w_j>; neurons of both layers, a_j relu(<v_j, x>):
   score_i = sum_j (1 / M) D_ij y_i <(<v_j, x_i>, a_j x_i), w_j>. *)
Definition score (weights : list R) (z : nat -> row -> vec) (w : list vec) (r : row) : R :=
  sum (map (fun j => nth j weights 0 * if opens r j then entry (target r) * dot (z j r) (nth j w []) else 0) (seq 0 (List.length weights))).
Definition margin_between (rows : list row) (weights : list R) (z : nat -> row -> vec) (lower upper : R) : Prop :=
  (exists w, (forall j, dot (nth j w []) (nth j w []) <= 1) /\ forall r, In r rows -> lower <= score weights z w r) /\
  (forall w, (forall j, dot (nth j w []) (nth j w []) <= 1) -> exists r, In r rows /\ score weights z w r <= upper).

(* The networks that a bound speaks of: those of gates have their neurons in the cones of these, and prices by gates and by cones are
   those of neurons that feed one output each. *)
Definition in_class (free : bool) (o d : nat) (g : gates) (rows : list row) (by_ : evidence) (f : network) : Prop :=
  shaped o d f /\ unbiased free f /\
  (by_ = ByGates -> forall j, In j (neurons f) -> exists k, (k < gate_count g)%nat /\ in_cone rows k (inner j)) /\
  (by_ = ByGates \/ by_ = ByCones -> forall j, In j (neurons f) -> feeds_one (outer j)).

(* `some` of all networks f of a class, of output `of f` and penalty `size f`, has a value at most upper, and none has one below lower. *)
Definition enclosed {A} (mine : A -> Prop) (count : A -> nat) (of_ : A -> row -> vec) (size : A -> R) (P : problem) (listed : nat) (upper lower : R) : Prop :=
  (exists f, mine f /\ count f = listed /\ feasible P (of_ f) /\ objective P (of_ f) (size f) <= upper) /\
  (forall f, mine f -> feasible P (of_ f) -> lower <= objective P (of_ f) (size f)).
(* Of all networks of penalty at most 1: one has every y_i f(x_i) at least lower, and each has one at most upper. *)
Definition margins {A} (mine : A -> Prop) (count : A -> nat) (of_ : A -> row -> vec) (size : A -> R) (rows : list row) (listed : nat)
  (upper : option R) (lower : R) : Prop :=
  (exists f, mine f /\ count f = listed /\ size f <= 1 /\ forall r, In r rows -> lower <= dot (target r) (of_ f r)) /\
  match upper with
  | Some most => forall f, mine f -> size f <= 1 -> exists r, In r rows /\ dot (target r) (of_ f r) <= most
  | None => True
  end.

Definition claim_holds (free : bool) (d : nat) (g : gates) (rows : list row) (c : claim) : Prop :=
  match c with
  | Train gated l N beta by_ listed upper lower =>
      let P := Problem (real_loss l) (val N) (val beta) rows in
      exists o, (forall r, In r rows -> List.length (target r) = o) /\ (by_ = ByCones -> all_cones rows (gate_count g)) /\
      if gated then enclosed (gated_shaped o d (gate_count g) free) (fun f => List.length (gated_neurons f)) gated_output gated_penalty P listed (val upper) (val lower)
      else enclosed (in_class free o d g rows by_) (fun f => List.length (neurons f)) output penalty P listed (val upper) (val lower)
  | Largest gated _ _ by_ listed upper lower =>
      let most := match upper with Some u => Some (val u) | None => None end in
      exists o, (forall r, In r rows -> List.length (target r) = o) /\ (by_ = ByCones -> all_cones rows (gate_count g)) /\
      if gated then margins (gated_shaped o d (gate_count g) free) (fun f => List.length (gated_neurons f)) gated_output gated_penalty rows listed most (val lower)
      else margins (in_class free o d g rows by_) (fun f => List.length (neurons f)) output penalty rows listed most (val lower)
  | Units counts M upper lower =>
      margin_between rows (map (fun k => IZR k / IZR M) counts) (fun _ r => point r) (val lower) (val upper)
  | Neurons gains M upper lower =>
      margin_between rows (map (fun _ => 1 / IZR M) gains)
        (fun j r => dot (match g with Orientations l => map val (nth j l []) | _ => [] end) (point r)
                    :: times (val (nth j gains dzero)) (point r)) (val lower) (val upper)
  | PlaneMargin upper lower => (* infinite width, in the plane: the largest least y_i E_u 1[<x_i, u> > 0] <x_i, v(u)> over all v with |v| <= 1 *)
      all_cones rows (gate_count g) /\
      (exists v, (forall u, dot (v u) (v u) <= 1) /\ forall (E : round_average rows) r, In r rows ->
         integrable _ (plain _ E) (feature v r) /\ val lower <= entry (target r) * mean _ (plain _ E) (feature v r)) /\
      (forall (E : round_average rows) v, (forall u, dot (v u) (v u) <= 1) -> (forall r, In r rows -> integrable _ (plain _ E) (feature v r)) ->
         exists r, In r rows /\ entry (target r) * mean _ (plain _ E) (feature v r) <= val upper)
  | ZeroMargin => (* no network has every y_i f(x_i) > 0; nor has infinite width *)
      (forall f, unbiased false f -> ~ forall r, In r rows -> 0 < dot (target r) (output f r)) /\
      (forall (E : average rows) v, (forall r, In r rows -> integrable _ E (feature v r)) ->
         ~ forall r, In r rows -> 0 < entry (target r) * mean _ E (feature v r))
  | Cones count => count = gate_count g /\ all_cones rows count
  | EmptyCone pattern => ~ exists u, forall i r, nth_error rows i = Some r ->
                         if nth i pattern false then 0 < dot (point r) u else dot (point r) u <= 0
  | SpikeFree => (* every (Au)_+ is Av for some |v| <= |u| *)
      forall u, exists v, norm v <= norm u /\ forall r, In r rows -> dot (point r) v = relu (dot (point r) u)
  | SpikeShown least => (* (Au)_+ = Av for some u only with |v| >= least |u|, or for no v *)
      exists u, 0 < norm u /\ forall v, (forall r, In r rows -> dot (point r) v = relu (dot (point r) u)) ->
                match least with Some q => val q * norm u <= norm v | None => False end
  | ConeDimension pattern k => (exists u, in_pattern d rows pattern u) /\ exists b, List.length b = k /\ basis_of (in_pattern d rows pattern) b
  | Faces count => (* the gates, which have orientations, are all sets of rows with <x_i, u> > 0, each once *)
      count = gate_count g /\ (forall j, (j < count)%nat -> exists v, opens_as rows j v) /\
      (forall i j, (i < j < count)%nat -> exists r, In r rows /\ opens r i <> opens r j) /\
      forall u, exists k, (k < count)%nat /\ opens_as rows k u
  | Spectrum k factor which upper lower =>
      let h := kernel_at k (val factor) in
      let vector v := List.length v = List.length rows in
      match which with
      | Least => (exists v, vector v /\ 0 < dot v v /\ kernel_form h rows v <= val upper * dot v v) /\
                 (0 < val lower \/ drawn k rows -> forall v, vector v -> val lower * dot v v <= kernel_form h rows v)
      | Greatest => (exists v, vector v /\ 0 < dot v v /\ val lower * dot v v <= kernel_form h rows v) /\
                    (forall v, vector v -> kernel_form h rows v <= val upper * dot v v)
      | Null => drawn k rows -> (exists v, vector v /\ 0 < dot v v /\ forall r, In r rows -> kernel_row h rows v r = 0) /\
                                (forall v, vector v -> 0 <= kernel_form h rows v)
      end
  end.

Definition holds (bytes labels : string) (s : statement) : Prop :=
  exists read, dataset_of (about s) bytes labels = Text.Good read /\
    claim_holds (match bias (about s) with Free => true | _ => false end) (Z.to_nat (columns read)) (listed_gates s)
      (real_rows (listed_gates s) 0 (rows read)) (claimed s).
