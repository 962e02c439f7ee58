(* SPDX-License-Identifier: Apache-2.0 *)
(* What the extracted checker answers, in words: statements, JSON, explanations, and --expect.

   Nothing here decides what is accepted, and every bound of a statement comes from Checker.checked (Check.v). Texts are those of
   checker/statement.c, print.c and expect.c. *)
open Checker

exception Stop of int * string
let stop code why = raise (Stop (code, why))

(* --- numbers --- *)

let real a = Float.ldexp (Big.to_float a.mantissa) (Big.to_int a.exponent)
let nearest_real a = match rounded a with Some r -> real r | None -> infinity
let bound = function Some a -> real a | None -> infinity
let rec int_of_nat = function O -> 0 | S k -> 1 + int_of_nat k
let text = fun l -> let b = Buffer.create 80 in List.iter (Buffer.add_char b) l; Buffer.contents b
let chars s = List.init (String.length s) (String.get s)

(* A bound in as few digits (10 to 17) as are on its side. *)
let digits value side =
  let rec try_with k =
    let t = Printf.sprintf "%.*g" k value in
    if side *. float_of_string t >= side *. value || k >= 17 then t else try_with (k + 1) in
  try_with 10
let shortest value =
  let rec try_with k = let t = Printf.sprintf "%.*g" k value in if float_of_string t = value || k >= 17 then t else try_with (k + 1) in
  try_with 1
let plain_number word = Option.map (fun f -> f.nearest_double) (plain (chars word))
let exactly value = Printf.sprintf "%.17g" value

(* --- the statement --- *)

let weak_texts = [|
  "no gates are listed: nothing is said about networks with gates";
  "no lower bound is proved: what is said below holds of every problem";
  "targets may be missed by more than a millionth of the largest";
  "the listed network is no better than one without neurons";
  "the penalty is at or above beta_max, or nearly: none of these networks is better than one without neurons";
  "the KKT conditions are met to more than a millionth" |]

(* The objective of a network without neurons, with the best constant where that is free, from above (checker/train.c, boxed.c). *)
let box = function
  | Huber d -> -. nearest_real d, nearest_real d
  | Quantile t -> nearest_real (dsub t done0), nearest_real t
  | _ -> -1., 1.
let best_constant loss rows =
  let y = List.map (fun r -> nearest_real (List.hd r.dtarget)) rows and c = List.map (fun r -> nearest_real r.dweight) rows in
  let first, last = box loss in
  let slope at =
    List.fold_left2 (fun s y c ->
      let r = y -. at in
      let v = match loss with Huber _ -> Float.min (Float.max r first) last | _ -> if r > 0. then last else first in
      s +. c *. v) 0. y c in
  let low = ref (List.fold_left Float.min infinity y) and high = ref (List.fold_left Float.max neg_infinity y) in
  for _ = 1 to 100 do
    let middle = !low /. 2. +. !high /. 2. in
    if slope middle > 0. then low := middle else high := middle
  done;
  !high
let dyadic_of v = let m, e = Float.frexp v in { mantissa = Big.of_float (Float.ldexp m 53); exponent = Big.of_int (e - 53) }
let up a = real (double_up a)
let without_neurons free loss rows n_ =
  let sum f = List.fold_left (fun s r -> dadd s (f r)) dzero rows in
  let total = sum (fun r -> r.dweight) in
  let o = match rows with r :: _ -> List.length r.dtarget | [] -> 0 in
  let sums = List.init o (fun k -> sum (fun r -> dmul r.dweight (List.nth r.dtarget k))) in
  let square = sum (fun r -> dmul r.dweight (ddot r.dtarget r.dtarget)) in
  let rest = dsub (dmul square total) (if free then ddot sums sums else dzero) in
  match loss with
  | Squared -> up (ddiv_up (ddiv_up (dhalf rest) total) n_)
  | Equality _ -> if Big.sign rest.mantissa = 0 then 0. else infinity
  | Margin -> infinity
  | Hinge ->
    let one = match sums with s :: _ -> s | [] -> dzero in
    let p = dhalf (dadd total one) and q = dhalf (dsub total one) in
    up (ddiv_up (if not free then total else let least = if dle p q then p else q in dadd least least) n_)
  | Logistic | Softmax ->
    let entropy z = if Big.sign z.mantissa = 0 then dzero else dmul z (ln_up (ddiv_up total z)) in
    let one = match sums with s :: _ -> s | [] -> dzero in
    let classes = if loss = Softmax then sums else [ dhalf (dadd total one); dhalf (dsub total one) ] in
    let number = { mantissa = Big.of_int (List.length classes); exponent = Big.zero } in
    up (ddiv_up (if free then List.fold_left (fun s z -> dadd s (entropy z)) dzero classes else dmul total (ln_up number)) n_)
  | _ ->
    let constant = [ dyadic_of (if free then best_constant loss rows else 0.) ] in
    up (ddiv_up (sum (fun r -> dmul r.dweight (dloss_at loss constant r.dtarget))) n_)
let weaknesses a =
  match a.said.claimed with
  | Largest (_, _, _, by, _, _, _) ->
    if by = ByGates && (match a.said.listed_gates with Orientations [] | Patterns [] -> true | _ -> false) then [ 0 ] else if by = NoBound then [ 1 ] else []
  | Limit (_, _, r, s, k, _, _, _) -> if List.exists (fun t -> up t > 1e-6) [ r; s; k ] then [ 5 ] else []
  | Units _ | Neurons _ | WideMargin _ | LinearMargin _ | Spectrum (FirstLayerGates _, _, _, _, _) -> if (match a.said.listed_gates with Orientations [] | Patterns [] -> true | _ -> false) then [ 0 ] else []
  | Train (_, loss, n_, _, by, _, _, _) ->
    let rows = a.read.rows and upper = bound a.upper_bound and lower = bound a.lower_bound in
    let none = without_neurons (a.said.about.bias = Free) loss rows n_ in
    let no_gates = by = ByGates && (match a.said.listed_gates with Orientations [] | Patterns [] -> true | _ -> false) in
    let largest = List.fold_left (fun m r -> List.fold_left (fun m y -> Float.max m (Float.abs (up y))) m r.dtarget) 0. rows in
    let missed = match loss with Equality r -> up r > 1e-6 *. largest | _ -> false in
    (if no_gates then [ 0 ] else []) @ (if by = NoBound then [ 1 ] else []) @ (if missed then [ 2 ] else []) @
    (if none <= upper *. (1. +. 1e-6) && not no_gates then [ (if lower >= none *. (1. -. 1e-6) then 4 else 3) ] else [])
  | _ -> []

(* The rows of the file that are kept: "all", or ranges, those that do not fit as "..". *)
let ranges_of a =
  let kept = List.map Big.to_int a.read.kept and rows = Big.to_int a.read.rows_of_file in
  let rec runs = function
    | [] -> []
    | k :: rest -> (match runs rest with (first, last) :: more when first = k + 1 -> (k, last) :: more | more -> (k, k) :: more) in
  match runs kept with
  | [ (0, last) ] when last = rows - 1 -> "all"
  | list ->
    let out = Buffer.create 200 and full = ref false in
    List.iteri (fun k (first, last) ->
      if Buffer.length out + 50 < 200 && not !full then Printf.bprintf out "%s%d:%d" (if k > 0 then "," else "") first (last + 1)
      else if not !full then (full := true; Buffer.add_string out ",..")) list;
    Buffer.contents out

let format_of s = match s.layout_of with Csv _ -> "CSV" | Libsvm _ -> "LIBSVM" | Npy -> "NPY"
let labels_of a = Option.map text a.said.labels_hash
let normalize s = match s.normalise with Raw -> "none" | Unit -> "unit" | Standardize -> "standardize"
let bias_of s = match s.bias with NoBias -> "none" | Augment -> "augment" | Free -> "free"
let weighted s = match s.layout_of with Csv (_, _, w) -> Big.sign w >= 0 | _ -> false

(* The names of classes: texts that could be misread in hexadecimal digits; those that do not fit as "..". *)
let class_name t =
  let plain = t <> "" && t <> ".." && not (String.starts_with ~prefix:"0x" t) && t.[0] <> ' ' && t.[String.length t - 1] <> ' '
              && String.for_all (fun c -> c >= ' ' && c <= '~' && not (String.contains "\"\\,()" c)) t in
  if plain then t else "0x" ^ String.concat "" (List.map (fun c -> Printf.sprintf "%02x" (Char.code c)) (chars t))
let class_names s =
  let number v = shortest (match rounded v with Some r -> real r | None -> if Big.sign v.mantissa < 0 then neg_infinity else infinity) in
  let names = match s.names_of with Numbers l -> List.map number l | Texts l -> List.map (fun t -> class_name (text t)) l in
  let rec join made = function
    | [] -> made
    | name :: rest ->
      let comma = if made = "" then "" else "," in
      if String.length made + String.length name + 1 < 150 then
        let made = made ^ comma ^ name in if String.length made >= 150 then made else join made rest
      else made ^ comma ^ ".." in
  join "" names
let classes_of s = match s.coding_of with Plain -> None | _ -> Some (class_names s)

let about_data a =
  let s = a.said.about and n = List.length a.read.rows and ranges = ranges_of a in
  String.concat "" [
    (if ranges = "all" then Printf.sprintf "About all %d rows" n
     else Printf.sprintf "About %d rows (%s) of the %d" n ranges (Big.to_int a.read.rows_of_file));
    Printf.sprintf " of the %s file with SHA-256 %s" (format_of s) (text a.said.hash);
    (match s.layout_of with Csv (_, t, _) -> Printf.sprintf ", targets in column %d from 0" (Big.to_int t) | _ -> "");
    (match s.layout_of with Csv (_, _, w) when Big.sign w >= 0 -> Printf.sprintf ", weights in column %d" (Big.to_int w) | _ -> "");
    (match labels_of a with Some hash -> ", targets in the file with SHA-256 " ^ hash | None -> "");
    (match s.coding_of with Plain -> "" | Index -> "; classes are numbers 0, 1, .." | Signs -> "; the two classes are -1 and +1"
                          | Columns -> "; classes are unit vectors");
    (match classes_of s with Some names -> " (" ^ names ^ ")" | None -> "");
    (match s.normalise with Raw -> "; not normalised" | Unit -> "; rows of length 1" | Standardize -> "; columns standardized");
    (match s.bias with NoBias -> "; no bias" | Augment -> "; a column of ones added" | Free -> "; biases free");
    (if s.decimals then "; decimals as they are written" else "");
    Printf.sprintf "; then %d columns. " (Big.to_int a.read.columns) ]

let gates_of a = match a.said.listed_gates with Orientations l -> List.length l | Patterns l -> List.length l
let scale_of a n_ = match nearest_real n_ with
  | 1. -> "sum" | n when n = float_of_int (List.length a.read.rows) -> "mean" | n -> exactly n
let loss_words = function
  | Squared -> "squared", "|f_i - y_i|^2 / 2"
  | Hinge -> "hinge", "max(0, 1 - y_i f_i)"
  | Absolute -> "absolute", "|y_i - f_i|"
  | Huber d -> let d = shortest (nearest_real d) in "huber:" ^ d, "(max over |v| <= " ^ d ^ " of (y_i - f_i) v - v^2 / 2)"
  | Quantile t -> let t = shortest (nearest_real t) in
    "quantile:" ^ t, Printf.sprintf "max(%s (y_i - f_i), (%s - 1) (y_i - f_i))" t t
  | Equality _ -> "equality", ""
  | Margin -> "margin", ""
  | Logistic -> "logistic", "ln(1 + exp(-y_i f_i))"
  | Softmax -> "softmax", "(ln sum_k exp(f_ik) - <y_i, f_i>)"

(* The networks that the lower side of training speaks of, and the listed one (`model`: a file that has the same). *)
let several a = match a.read.rows with r :: _ -> List.length r.dtarget > 1 | [] -> false
let single a gated by = not gated && (by = ByGates || by = ByCones) && several a
let class_words a gated by =
  let biased = if a.said.about.bias <> Free then "" else if gated then ", with any constant" else ", with any biases" in
  if gated then Printf.sprintf "gated network on the %d listed gates%s%s" (gates_of a)
    (if by = ByCones then ", which are all cones of the data" else "") biased
  else if by = ByGates then Printf.sprintf "two-layer ReLU network whose neurons %slie in the cones of the %d listed gates"
    (if single a gated by then "feed one output each and " else "") (gates_of a)
  else if single a gated by then "two-layer ReLU network of any width whose neurons feed one output each"
  else "two-layer ReLU network of any width" ^ biased
let network_words listed model =
  Printf.sprintf "a network with %d neuron%s, listed in the certificate%s" listed (if listed = 1 then "" else "s")
    (match model with Some name -> " and number by number that of " ^ name | None -> "")
let norm_words gated = if gated then "|w_j|" else "|w_j||u_j|"

let state_largest a gated by listed model =
  let upper = bound a.upper_bound in
  Printf.sprintf "The margin of a network f is the least y_i f(x_i) over the sum of %s over its neurons. Lower side: it is >= %s for %s. \
Upper side: it is <= %s for every %s." (norm_words gated) (digits (bound a.lower_bound) (-1.)) (network_words listed model)
    (if upper < infinity then digits upper 1. else "infinity") (class_words a gated by)
let state_train a gated loss n_ beta by listed model =
  let upper = bound a.upper_bound and lower = bound a.lower_bound in
  let part = match loss with
    | Equality r -> Printf.sprintf "(0 where no |f_i - y_i| is above %s, else infinite)" (digits (real (double_up r)) 1.)
    | _ -> (if scale_of a n_ <> "sum" then Printf.sprintf "(1/%s) " (exactly (nearest_real n_)) else "")
           ^ "sum_i " ^ (if weighted a.said.about then "c_i " else "") ^ snd (loss_words loss) in
  Printf.sprintf "F(f) = %s + %s R(f), R the sum of %s over the neurons. Upper side: F <= %s for %s. Lower side: F >= %s for every %s. \
Difference: %s." part (exactly (nearest_real beta)) (norm_words gated) (digits upper 1.) (network_words listed model) (digits lower (-1.))
    (class_words a gated by) (digits (upper -. lower) 1.)

let state_margin a start =
  Printf.sprintf "%s, is >= %s, by the listed vector%s, and <= %s, by the listed weights of the rows." start
    (digits (bound a.lower_bound) (-1.)) (match a.said.claimed with LinearMargin _ -> "" | _ -> "s") (digits (bound a.upper_bound) 1.)

let state_spectrum a kernel factor which =
  let factor = nearest_real factor in
  Printf.sprintf "The matrix of the tangent kernel of %s%s%s: its %s" (if kernel = BothLayersWide then "both layers" else "the first layer")
    (match kernel with
     | FirstLayerWide | BothLayersWide -> " at infinite width"
     | FirstLayerGates (_, m) -> Printf.sprintf " of %s neurons with %d listed gates, each counted as often as stated" (Big.to_string m) (gates_of a))
    (if factor = 1. then "" else Printf.sprintf ", times %s" (exactly factor))
    (match which with
     | Null -> "least eigenvalue is 0, and the listed vector is in its null space, exactly."
     | _ -> Printf.sprintf "%s eigenvalue is >= %s and <= %s; the listed vector gives the %s side." (if which = Least then "least" else "largest")
              (digits (bound a.lower_bound) (-1.)) (digits (bound a.upper_bound) 1.) (if which = Least then "upper" else "lower"))

let state_zero = function
  | EqualRows (i, j) -> Printf.sprintf "Rows %d and %d of these (from 0) are equal and have opposite targets: no function has every y_i f(x_i) > 0, \
and every margin is 0." (int_of_nat i) (int_of_nat j)
  | why ->
    (match why with AtOrigin i -> Printf.sprintf "Row %d of these (from 0) is 0, where every network without biases is 0. " (int_of_nat i) | _ -> "")
    ^ "No two-layer ReLU network without biases has every y_i f(x_i) > 0, and the margin at infinite width is 0."

let state_limit a both slope r s k listed =
  Printf.sprintf "The margin of a network f(x) = sum_j w_j s(<u_j, x>), s(t) = max(t, %s), is m / |W|%s, m the least y_i f(x_i) and W %s. \
Of the network with %d neuron%s listed in the certificate it is >= %s and <= %s. It is a KKT point of the largest margin, by the listed multipliers \
l >= 0: |W - sum_i l_i g_i| <= %s |W| and sum_i l_i (y_i f(x_i) - m) <= %s m sum_i l_i, the g_i being Clarke gradients of y_i f(x_i)%s. \
Nothing is said of other networks."
    (match slope with Some t -> shortest (nearest_real t) ^ " t" | None -> "0") (if both then "^2" else "")
    (if both then "all u_j and w_j" else "all u_j") listed (if listed = 1 then "" else "s") (digits (bound a.lower_bound) (-1.))
    (digits (bound a.upper_bound) 1.) (digits (up r) 1.) (digits (up s) 1.)
    (if up k > 0. then Printf.sprintf ", where |<u_j, x_i>| <= %s |u_j||x_i| is a kink" (digits (up k) 1.) else "")

let pattern_text p = String.init (List.length p) (fun i -> if List.nth p i then '+' else '-')
let shown_pattern p = let t = pattern_text p in if String.length t > 200 then String.sub t 0 200 ^ ".." else t
let state model a =
  let main = match a.said.claimed with
    | Train (gated, loss, n_, beta, by, listed, _, _) -> state_train a gated loss n_ beta by (int_of_nat listed) model
    | Largest (gated, _, _, by, listed, _, _) -> state_largest a gated by (int_of_nat listed) model
    | SpikeFree -> "The matrix A of these rows is spike-free: every (Au)_+ with |u| <= 1 is Av for some |v| <= 1."
    | Units (_, m, _, _) -> state_margin a (Printf.sprintf
        "The margin of the first layer of %s neurons with %d listed gates, each counted as often as stated" (Big.to_string m) (gates_of a))
    | Neurons (_, m, _, _) -> state_margin a (Printf.sprintf
        "The margin of both layers of %s neurons, of which %d are listed" (Big.to_string m) (gates_of a))
    | WideMargin (plane, _, _) -> state_margin a (Printf.sprintf
        "The margin of the first layer at infinite width, in %s, where the %d listed gates are all cones"
        (if plane then "the plane" else "at most three columns") (gates_of a))
    | LinearMargin _ -> state_margin a "The margin of linear functions, the largest over |w| <= 1 of the least y_i <w, x_i>"
    | ZeroMargin why -> state_zero why
    | Limit (both, slope, r, s, k, listed, _, _) -> state_limit a both slope r s k (int_of_nat listed)
    | EmptyCone p ->
      Printf.sprintf "No u has <x_i, u> > 0 for the rows with + in %s and <= 0 for the others: this cone is empty, by the listed weights." (shown_pattern p)
    | ConeDimension (p, k) ->
      Printf.sprintf "The cone of all u with <x_i, u> > 0 for the rows with + in %s and <= 0 for the others has dimension %d; the listed point is in it."
        (shown_pattern p) (int_of_nat k)
    | Faces count -> Printf.sprintf "There are %d sets {i : <x_i, u> > 0}, one for each listed orientation." (int_of_nat count)
    | Spectrum (kernel, factor, which, _, _) -> state_spectrum a kernel factor which
    | Cones count -> Printf.sprintf "The hyperplanes <x_i, u> = 0 cut the space into %d full-dimensional cones, one around each listed \
orientation." (int_of_nat count)
    | SpikeShown least ->
      "The matrix A of these rows is not spike-free: " ^
      (match least with Some q -> Printf.sprintf "for the listed u, (Au)_+ is no Av with |v| < %s |u|." (digits (real q) (-1.))
                      | None -> "for the listed u, (Au)_+ is no Av at all.") in
  let weak = List.map (fun k -> weak_texts.(k)) (weaknesses a) in
  about_data a ^ main ^ (if weak = [] then "" else " Weak: " ^ String.concat "; " weak ^ ".")

(* --- --explain: the inequalities; numbers of training from the evidence, by the functions that judged it --- *)

let explain_train a loss n_ beta by gated =
  match a.parts_of with
  | None -> []
  | Some (f, lower) ->
    let rows = opened a.said.listed_gates O a.read.rows in
    let loss_part = List.fold_left (fun s q -> dadd s (dmul (fst q).dweight (dloss_at loss (doutput f q) (fst q).dtarget))) dzero rows in
    let norm = exactly (up (dpenalty f)) and share = up (ddiv_up loss_part n_) in
    let objective = up (dadd (ddiv_up loss_part n_) (dmul beta (dpenalty f))) in
    let constrained = match loss with Equality _ | Margin -> true | _ -> false in
    let over = if by = ByGates || gated then "the gates" else if single a gated by then "networks whose neurons feed one output each" else "all networks" in
    let first = if constrained then "the listed network satisfies the constraints, and R(f) <= " ^ norm
      else Printf.sprintf "the listed network has loss <= %s and R(f) <= %s" (exactly share) norm in
    let dual ws = match dual_terms loss a.read.rows ws with
      | None -> []
      | Some terms ->
        let sum f = List.fold_left (fun s t -> dadd s (f t)) dzero terms in
        [ Printf.sprintf "the dual point w is in the domain of the conjugates, and D(w) / N >= %s"
            (exactly (real (double_down (ddiv_down (dsub (sum fst) (sum snd)) n_))));
          Printf.sprintf "the price of w over %s is <= N beta" over;
          "so by weak duality F >= D(w) / N for every network that the statement speaks of" ] in
    first :: Printf.sprintf "so F(f) = loss + beta R(f) <= %s, with beta = %s" (exactly objective) (exactly (nearest_real beta)) ::
    (match lower with
     | Without -> [ "no loss and no norm is negative: F >= 0" ]
     | WithGates (_, _, ws, _) -> dual ws
     | WithTrees (s, vs, _, _, _, _) | WithPlane (s, vs, _) | WithOrthant (s, vs, _) -> dual (scaled_by s vs))
let explain a = match a.said.claimed with
  | Train (gated, loss, n_, beta, by, _, _, _) -> explain_train a loss n_ beta by gated
  | Largest (gated, n_, beta, by, _, _, _) -> explain_train a Margin n_ beta by gated
  | Units _ | Neurons _ | WideMargin _ | LinearMargin _ ->
    [ "every listed vector has length <= 1; the least score that they give is >= " ^ exactly (bound a.lower_bound);
      "any weights q >= 0 bound the margin from above; the listed ones give <= " ^ exactly (bound a.upper_bound) ]
  | Limit (_, _, r, _, _, _, _, _) ->
    [ Printf.sprintf "every y_i f(x_i) > 0, and the margin is between %s and %s" (exactly (bound a.lower_bound)) (exactly (bound a.upper_bound));
      "the multipliers are >= 0, and those beyond the margin are as small as stated";
      Printf.sprintf "W less their sum of gradients is at most %s |W|" (exactly (up r)) ]
  | ZeroMargin (AtOrigin _ | EqualRows _) -> [ "the rows that are named were compared number by number" ]
  | ZeroMargin ByPairs -> [ "the listed pairs have labels +1 and -1, and multiples of one vector";
                    "on one ray, or as many pairs whose combination is 0: f takes no sign that fits all" ]
  | EmptyCone _ -> [ "the listed l >= 0 have sum_+ l_i x_i = sum_- l_i x_i, and some l_i > 0 among +";
                     "a point u would make the left side of <., u> positive and the right one not" ]
  | SpikeFree -> [ "the distinct directions R of the rows are independent"; "(RR')^{-1} has no positive entry off its diagonal" ]
  | SpikeShown _ -> [ "the listed u and c have <c, (Au)_+> > |A'c||u|"; "(Au)_+ = Av would give <c, Av> = <A'c, v> <= |A'c||v|" ]
  | ConeDimension _ -> [ "the listed point has the signs of the pattern";
                         "the rows that vanish there sum up to 0 with l_i > 0, and so vanish on the cone" ]
  | Spectrum (_, _, Null, _, _) -> [ "the sum of v_i x_i over the rows that a gate is open on is 0 for every gate";
                                     "so Hv = 0; H is positive semidefinite: its least eigenvalue is 0" ]
  | Spectrum (_, _, which, _, _) ->
    let least = which = Least and upper = exactly (bound a.upper_bound) and lower = exactly (bound a.lower_bound) in
    [ Printf.sprintf "the listed v has v'Hv / v'v %s %s, which no %s eigenvalue is beyond" (if least then "<=" else ">=")
        (if least then upper else lower) (if least then "least" else "largest");
      Printf.sprintf "H less %s I has %s: %s" (if least then lower else upper) (if least then "no negative pivot" else "no positive pivot")
        (if least then "no eigenvalue is smaller" else "no eigenvalue is larger") ]
  | Cones _ | Faces _ -> [ Printf.sprintf "the %d orientations have distinct patterns" (gates_of a);
                           Printf.sprintf "%d were counted anew: there are no others" (gates_of a) ]

(* --- output --- *)

(* In lines of at most 100 columns. *)
let wrapped t =
  let column = ref 0 in
  List.iter (fun word ->
    let size = String.length word in
    let fits = !column + 1 + size <= 100 in
    if !column > 0 then print_char (if fits then ' ' else '\n');
    column := if !column > 0 && fits then !column + 1 + size else size;
    print_string word) (String.split_on_char ' ' t);
  print_newline ()

let print_answers model explained answers =
  let last = List.nth answers (List.length answers - 1) in
  let weak = List.length (List.filter (fun a -> weaknesses a <> []) answers) in
  let upper = bound last.upper_bound and lower = bound last.lower_bound in
  Printf.printf "accepted upper=%s lower=%s gap=%s" (exactly upper) (exactly lower) (exactly (upper -. lower));
  if List.length answers > 1 then Printf.printf " claims=%d" (List.length answers);
  if weak > 0 then Printf.printf " weak=%d" weak;
  print_newline ();
  List.iteri (fun k a ->
    print_newline ();
    if List.length answers > 1 then Printf.printf "Claim %d. " (k + 1);
    wrapped (state model a);
    if explained then List.iteri (fun k line -> Printf.printf "  %d. %s\n" (k + 1) line) (explain a)) answers

let quoted t =
  let b = Buffer.create (String.length t + 2) in
  Buffer.add_char b '"';
  String.iter (fun c -> if Char.code c < 32 then Printf.bprintf b "\\u%04x" (Char.code c)
                else (if c = '"' || c = '\\' then Buffer.add_char b '\\'; Buffer.add_char b c)) t;
  Buffer.add_char b '"';
  Buffer.contents b
let finite_real v = if Float.is_finite v then exactly v else "null"

(* The words of the statement that programs read: class, kind, loss, beta, scale, residual, pattern, bound, neurons. *)
let bound_words by few = if by = NoBound then "none" else if few then "gates" else "global"
let words_of_claim a =
  let none = "", None, None, nan, None, nan, None, "global", nan in
  let name (_, k, l, b, s, r, p, g, n) c = c, k, l, b, s, r, p, g, n in
  match a.said.claimed with
  | ZeroMargin _ -> name none "margin"
  | Limit (both, _, r, _, _, listed, _, _) ->
    "limit", Some (if both then "both" else "first"), None, nan, None, up r, None, "none", float_of_int (int_of_nat listed)
  | EmptyCone p | ConeDimension (p, _) -> let (_, k, l, b, s, r, _, g, n) = none in "cone", k, l, b, s, r, Some (pattern_text p), g, n
  | Faces _ -> name none "faces"
  | Spectrum (kernel, factor, _, _, _) ->
    "kernel", Some (if kernel = BothLayersWide then "both" else "first"), None, nan, Some (exactly (nearest_real factor)), nan, None,
    (match kernel with FirstLayerGates _ -> "gates" | _ -> "global"), nan
  | Cones _ -> name none "cones"
  | SpikeShown _ | SpikeFree -> name none "spike"
  | Units _ -> "margin", Some "ntk", None, nan, None, nan, None, "gates", nan
  | WideMargin _ -> "margin", Some "ntk", None, nan, None, nan, None, "global", nan
  | LinearMargin _ -> "margin", Some "linear", None, nan, None, nan, None, "global", nan
  | Neurons _ -> "margin", Some "ntk-full", None, nan, None, nan, None, "gates", nan
  | Train (gated, loss, n_, beta, by, listed, _, _) ->
    let few = by = ByGates || single a gated by in
    (if gated then "gated" else if few then "gates" else "relu"), None, Some (fst (loss_words loss)), nearest_real beta, Some (scale_of a n_),
    (match loss with Equality r -> real (double_up r) | _ -> nan), None, bound_words by few, float_of_int (int_of_nat listed)
  | Largest (gated, n_, beta, by, listed, _, _) ->
    "margin", Some "global", Some "margin", nearest_real beta, Some (scale_of a n_), nan, None,
    bound_words by (by = ByGates || single a gated by), float_of_int (int_of_nat listed)

let json_of model explained a =
  let name, kind, loss, beta, scale, residual, pattern, bound_word, neurons = words_of_claim a in
  let s = a.said.about and upper = bound a.upper_bound and lower = bound a.lower_bound in
  let optional = function Some t -> quoted t | None -> "null" in
  Printf.sprintf "{\"n\": %d, \"d\": %d%s}" (List.length a.read.rows) (Big.to_int a.read.columns)
    (String.concat "" (List.map (fun (key, value) -> Printf.sprintf ", \"%s\": %s" key value) ([
      "statement", quoted (state model a); "class", quoted name; "kind", optional kind; "loss", optional loss; "beta", finite_real beta;
      "scale", optional scale; "residual", finite_real residual; "pattern", optional pattern; "classes", optional (classes_of s); "normalize", quoted (normalize s);
      "bias", quoted (bias_of s); "rows", quoted (ranges_of a); "data_sha256", quoted (text a.said.hash); "labels_sha256", optional (labels_of a);
      "bound", quoted bound_word; "upper", finite_real upper; "lower", finite_real lower; "gap", finite_real (upper -. lower);
      "neurons", finite_real neurons; "gates", finite_real (float_of_int (gates_of a));
      "weak", "[" ^ String.concat ", " (List.map (fun k -> quoted weak_texts.(k)) (weaknesses a)) ^ "]" ]
      @ (if explained then [ "explain", "[" ^ String.concat ", " (List.map quoted (explain a)) ^ "]" ] else []))))
let json_answer model explained answers =
  let last = List.nth answers (List.length answers - 1) in
  let upper = bound last.upper_bound and lower = bound last.lower_bound in
  Printf.sprintf "{\"accepted\": true, \"upper\": %s, \"lower\": %s, \"gap\": %s, \"claims\": [%s]}\n" (finite_real upper)
    (finite_real lower) (finite_real (upper -. lower)) (String.concat ", " (List.map (json_of model explained) answers))

(* --- --expect 'key=value ..' (checker/expect.c) --- *)

let expectation key text = match if String.contains text '_' then None else float_of_string_opt text with
  | Some v when Float.is_finite v -> v
  | _ -> stop 2 (Printf.sprintf "--expect: %s needs a number" key)
let unexpected key is = stop 4 (Printf.sprintf "%s is %s, which was not expected" key is)
(* Whether a value is one that is written so: to as many digits as there are, but at least six. *)
let agrees value written text =
  let mantissa = List.hd (String.split_on_char 'e' (String.lowercase_ascii text)) in
  let count = ref 0 in
  String.iter (fun c -> if c >= '0' && c <= '9' && (!count > 0 || c <> '0') then incr count) mantissa;
  let place = Float.floor (Float.log10 (Float.abs written)) -. float_of_int (if !count < 6 then 5 else !count - 1) in
  value = written || Float.abs (value -. written) <= 0.5 *. Float.pow 10. place *. (1. +. 1e-9)
let same_rows a text =
  if text = "all" then ranges_of a = "all" else
  try
    let wanted = List.concat_map (fun range -> match String.split_on_char ':' range with
      | [ first; last ] when String.for_all (fun c -> c >= '0' && c <= '9' || c = '-') (first ^ last) -> let first = int_of_string first in List.init (max 0 (int_of_string last - first)) (fun k -> first + k)
      | _ -> raise Exit) (String.split_on_char ',' text) in
    wanted = List.map Big.to_int a.read.kept
  with Exit | Failure _ | Invalid_argument _ -> false
let expect_one a place more key value =
  let name, kind, loss, beta, scale, residual, pattern, bound_word, neurons = words_of_claim a in
  let upper = bound a.upper_bound and lower = bound a.lower_bound in
  let gap = upper -. lower in
  let number = expectation key in
  let limit is holds = if not holds then unexpected key (exactly is) in
  let count is = if number value <> float_of_int is then unexpected key (string_of_int is) in
  let word is = if is <> value then unexpected key is in
  let optional is = word (Option.value is ~default:"none") in
  match key with
  | "beta" ->
    let list = String.split_on_char ',' value in
    let text = match list with [ one ] -> one | _ -> (match List.nth_opt list place with Some t -> t | None -> stop 4 "more claims are there than was expected") in
    if not (agrees beta (number text) text) then unexpected key (exactly beta);
    if List.length list > 1 && not more && place + 1 < List.length list then stop 4 "fewer claims are there than was expected"
  | "scale" ->
    let written = if value = "sum" then 1. else if value = "mean" then float_of_int (List.length a.read.rows) else number value in
    (match a.said.claimed with
     | Train (_, _, n_, _, _, _, _, _) | Largest (_, n_, _, _, _, _, _) | Spectrum (_, n_, _, _, _) -> if not (agrees (nearest_real n_) written value) then unexpected key (Option.value scale ~default:"none")
     | _ -> unexpected key "none")
  | "rows" -> if not (same_rows a value) then unexpected key (ranges_of a)
  | "neurons" -> count (if Float.is_nan neurons then 0 else int_of_float neurons)
  | "n" -> count (List.length a.read.rows)
  | "d" -> count (Big.to_int a.read.columns)
  | "gates" -> count (gates_of a)
  | "draws" -> count 0 (* of nothing that is proved here *)
  | "confidence" -> if number value <> 1. then unexpected key "1"
  | "seed" -> unexpected key "none"
  | "gap<" -> limit gap (gap <= number value)
  | "relative_gap<" -> let r = if gap > 0. then gap /. Float.abs upper else 0. in limit r (r <= number value)
  | "upper<" -> limit upper (upper <= number value)
  | "lower>" -> limit lower (lower >= number value)
  | "residual<" -> let r = if Float.is_nan residual then 0. else residual in limit r (r <= number value)
  | "unclear<" -> limit 0. (0. <= number value)
  | "weak<" -> let k = float_of_int (List.length (weaknesses a)) in limit k (k <= number value)
  | "class" -> word name
  | "bound" -> word bound_word
  | "kind" -> (match a.said.claimed with ZeroMargin _ -> () | _ -> optional kind)
  | "loss" -> if not (loss = Some "softmax" && value = "logistic") then optional loss (* of several classes *)
  | "bias" -> word (bias_of a.said.about)
  | "normalize" -> word (normalize a.said.about)
  | "data_sha256" -> word (text a.said.hash)
  | "labels_sha256" -> word (Option.value (labels_of a) ~default:"")
  | "pattern" -> optional pattern
  | "classes" -> optional (classes_of a.said.about)
  | _ -> stop 2 (Printf.sprintf "--expect: there is no '%s'" key)
let expect wanted answers =
  if wanted = [] then stop 2 "--expect: nothing is expected";
  let last = List.length answers - 1 in
  List.iteri (fun place a -> List.iter (fun (key, value) -> expect_one a place (place < last) key value) wanted) answers
let expectations wanted =
  let words = List.filter (fun w -> w <> "") (String.split_on_char ' ' (String.map (fun c -> if c = '\t' || c = '\n' || c = '\r' then ' ' else c) wanted)) in
  List.map (fun word -> match String.index_opt word '=' with
    | None -> stop 2 (Printf.sprintf "--expect: '%s' is not key=value" word)
    | Some k -> String.sub word 0 k, String.sub word (k + 1) (String.length word - k - 1)) words
