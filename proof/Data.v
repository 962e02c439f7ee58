(* SPDX-License-Identifier: Apache-2.0 *)
(* What a data file says: its bytes to rows of numbers, and the steps of preparation (docs/reference/certificate.md, Section 2; docs/reference/data.md).
   These functions are the definition. *)
From Coq Require Import ZArith List String Ascii Bool.
From Fathom Require Import Numbers Text.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

(* --- binary64 --- *)

(* The number of binary64 nearest to a / b, a >= 0, b > 0, ties to even, with neither infinity nor overflow: m 2^e, m <= 2^53. *)
Definition half_even (a b : Z) : Z :=
  let (q, r) := Z.div_eucl a b in
  if (2 * r <? b) || ((2 * r =? b) && Z.even q) then q else q + 1.
Definition scaled (a b t : Z) : Z * Z := if 0 <=? t then (a, Z.shiftl b t) else (Z.shiftl a (- t), b).
Definition nearest_exponent (a b : Z) : Z :=
  let t := Z.max (-1074) (Z.log2 a - Z.log2 b - 53) in
  let (p, q) := scaled a b t in if p / q <? 2 ^ 53 then t else t + 1.
Definition nearest (a b : Z) : dyadic :=
  if a =? 0 then dzero else
  let t := nearest_exponent a b in
  let (p, q) := scaled a b t in Dy (half_even p q) t.
Definition finite (a : dyadic) : bool := Z.log2 (Z.abs (mantissa a)) + exponent a <? 1024.
Definition ratio (sign a b : Z) : option dyadic :=
  let r := nearest a b in if finite r then Some (Dy (sign * mantissa r) (exponent r)) else None.

(* The exact dyadic p as a number of binary64; p / q for dyadic p and q > 0; the root of p >= 0. *)
Definition rounded (p : dyadic) : option dyadic :=
  let (m, e) := p in
  if 0 <=? e then ratio (Z.sgn m) (Z.shiftl (Z.abs m) e) 1 else ratio (Z.sgn m) (Z.abs m) (Z.shiftl 1 (- e)).
Definition quotient (p q : dyadic) : option dyadic :=
  let e := exponent p - exponent q in
  let m := Z.abs (mantissa p) in
  if mantissa q =? 0 then None else
  if 0 <=? e then ratio (Z.sgn (mantissa p)) (Z.shiftl m e) (mantissa q)
  else ratio (Z.sgn (mantissa p)) m (Z.shiftl (mantissa q) (- e)).
(* 64 more bits than a root can need, and one that says whether there are others. *)
Definition root (p : dyadic) : option dyadic :=
  let k := 1200 * 2 + exponent p mod 2 in
  let m := Z.shiftl (mantissa p) k in
  let r := Z.sqrt m in
  rounded (Dy (2 * r + (if r * r =? m then 0 else 1)) ((exponent p - k) / 2 - 1)).

(* --- decimals --- *)

(* A field is m 10^e, and the number of binary64 nearest to it. *)
Record field := Field { decimal : Z; tens : Z; nearest_double : dyadic }.
Definition field_of (m e length : Z) : option field :=
  if (m =? 0) || (e + length <? -400) then Some (Field m e dzero) else
  if 400 <? e + length then None else
  match (if 0 <=? e then ratio (Z.sgn m) (Z.abs m * 10 ^ e) 1 else ratio (Z.sgn m) (Z.abs m) (10 ^ (- e))) with
  | Some value => Some (Field m e value)
  | None => None
  end.
(* [+-] digits [. digits] [e [+-] digits], at least a digit before the e, and finite. *)
Definition plain (word : string) : option field :=
  let (sign, word) := sign_of word true in
  let '(whole, before, rest) := digits 10 word 0 0 in
  let '(m, after, rest) :=
    match rest with
    | String c more => if Ascii.eqb c "." then digits 10 more whole 0 else (whole, 0, rest)
    | EmptyString => (whole, 0, rest)
    end in
  if before + after =? 0 then None else
  match rest with
  | EmptyString => field_of (sign * m) (- after) (before + after)
  | String c more =>
      let (turn, more) := sign_of more true in
      match digits 10 more 0 0 with
      | (e, k, EmptyString) =>
          if (Ascii.eqb c "e" || Ascii.eqb c "E") && (1 <=? k) then field_of (sign * m) (turn * e - after) (before + after) else None
      | _ => None
      end
  end.

(* --- tables --- *)

(* A row of a file: fields, target (numbers or a text), weight. *)
Record line := Line { fields : list field; label : list field + string; mass : dyadic }.
Definition one_field := Field 1 0 done.
Fixpoint nth_field (k : Z) (words : list string) : option string :=
  match words with [] => None | w :: rest => if k =? 0 then Some w else nth_field (k - 1) rest end.
Fixpoint without (k target weights : Z) (words : list string) : list string :=
  match words with
  | [] => []
  | w :: rest => if (k =? target) || (k =? weights) then without (k + 1) target weights rest else w :: without (k + 1) target weights rest
  end.
Definition plain_of (word : string) : result field :=
  match plain word with Some a => Good a | None => Bad unreadable "a field of the data is not a plain finite number" end.
Definition row_words (text : string) : list string := map (strip blank) (split "," text).
Definition csv_row (columns target weights : Z) (texts : bool) (text : string) : result line :=
  let words := row_words text in
  check length_of words =? columns else unreadable, "a row of the data has too many or too few fields";
  do xs <- traverse plain_of (without 0 target weights words) [];
  do y <- match nth_field target words with
          | Some w => if texts then Good (inr w) else do a <- plain_of w; Good (inl [a])
          | None => Bad rejected "there is no such column of targets"
          end;
  do c <- match nth_field weights words with
          | Some w => plain_of w
          | None => if weights =? -1 then Good one_field else Bad rejected "there is no such column of weights"
          end;
  Good (Line xs y (nearest_double c)).
Definition is_text (word : string) : bool := match plain word with Some _ => false | None => true end.
Definition read_csv (header : bool) (target weights : Z) (data : string) : result (list line) :=
  check negb (has (ascii_of_nat 0) data || has (ascii_of_nat 34) data) else unreadable, "this is no plain table";
  let all := split newline (strip_end white data) in
  let columns := match all with first :: _ => length_of (row_words first) | [] => 0 end in
  check (0 <=? target) && (target <? columns) && (weights <? columns) else rejected, "the data has no such column";
  check negb (target =? weights) else rejected, "the targets are no weights";
  do rows <- match all with
             | first :: (_ :: _) as rest => if header then if existsb is_text (row_words first) then Good (tl all)
                                                           else Bad rejected "the data's first line is not a header"
                                            else Good all
             | _ => if header then Bad rejected "the data's first line is not a header" else Good all
             end;
  let texts := match rows with
               | first :: _ => match nth_field target (row_words first) with Some w => is_text w | None => false end
               | [] => false
               end in
  check (1 <? columns - (if weights =? -1 then 0 else 1)) else unreadable, "the data has no columns";
  traverse (csv_row columns target weights texts) rows [].

(* LIBSVM: label index:value .., indices ascending from 1; what follows # is dropped. *)
Definition not_empty (s : string) : bool := negb (String.eqb s "").
Definition svm_words (text : string) : list string :=
  let text := match split "#" text with first :: _ => first | [] => "" end in
  let tabs := fun c => if blank c then " "%char else c in
  let fix flat s := match s with String c rest => String (tabs c) (flat rest) | EmptyString => s end in
  filter not_empty (split " " (flat text)).
Definition zero_field := Field 0 0 dzero.
Fixpoint zeros (count : nat) : list field := match count with O => [] | S k => zero_field :: zeros k end.
Fixpoint svm_fields (words : list string) (at_column columns : Z) (made : list field) : result (list field) :=
  match words with
  | [] => Good (rev' (zeros (Z.to_nat (columns - at_column)) ++ made))
  | word :: rest =>
      match split ":" word with
      | [k; value] =>
          match index k, plain value with
          | Some k, Some a =>
              check (at_column <? k) && (k <=? columns) else unreadable, "indices of the data are not ascending";
              svm_fields rest k columns (a :: (zeros (Z.to_nat (k - at_column - 1)) ++ made)%list)
          | _, _ => Bad unreadable "an entry of the data is not index:value"
          end
      | _ => Bad unreadable "an entry of the data is not index:value"
      end
  end.
Definition svm_row (columns : Z) (words : list string) : result line :=
  match words with
  | first :: rest =>
      do y <- plain_of first;
      do xs <- svm_fields rest 0 columns [];
      Good (Line xs (inl [y]) done)
  | [] => Bad unreadable "a row is empty"
  end.
Definition read_libsvm (columns : Z) (data : string) : result (list line) :=
  check negb (has (ascii_of_nat 0) data) else unreadable, "the data has a zero byte";
  let rows := filter (fun words => match words with [] => false | _ => true end) (map svm_words (split newline data)) in
  check (0 <? columns) else rejected, "the data has no columns";
  check (columns * length_of rows <? 20000000) else uncovered, "the table is too large";
  check (0 <? length_of rows) else unreadable, "the data has no rows";
  traverse (svm_row columns) rows [].

(* --- preparation --- *)

Inductive layout := Csv (header : bool) (target weights : Z) | Libsvm (columns : Z) | Npy.
Inductive coding := Plain | Index | Signs | Columns.
Inductive names := Numbers (values : list dyadic) | Texts (values : list string).
Inductive normalisation := Raw | Unit | Standardize.
Inductive biases := NoBias | Augment | Free.
Record source := Source {
  layout_of : layout; ranges : list (Z * Z); coding_of : coding; names_of : names;
  normalise : normalisation; bias : biases; decimals : bool }.

Definition count_names (l : names) : Z := match l with Numbers v => length_of v | Texts v => length_of v end.
Fixpoint place {A} (same : A -> bool) (l : list A) (k : Z) : option Z :=
  match l with [] => None | a :: rest => if same a then Some k else place same rest (k + 1) end.
Definition class_of (l : names) (target : list field + string) : option Z :=
  match l, target with
  | Numbers v, inl [a] => place (deq (nearest_double a)) v 0
  | Texts v, inr s => place (String.eqb s) v 0
  | _, _ => None
  end.
Fixpoint unit_vector (count : nat) (k : Z) : list dyadic :=
  match count with O => [] | S m => (if k =? 0 then done else dzero) :: unit_vector m (k - 1) end.
(* The target of a row that is kept; None: it is not. *)
Definition target_of (s : source) (r : line) : option (list dyadic) :=
  match coding_of s, label r with
  | Plain, inl l => Some (map nearest_double l)
  | Plain, inr _ => None
  | code, label =>
      match class_of (names_of s) label with
      | None => None
      | Some k => Some (match code with
                        | Columns => unit_vector (Z.to_nat (count_names (names_of s))) k
                        | Signs => [dint (2 * k - 1)]
                        | _ => [dint k]
                        end)
      end
  end.

(* Sums from the left, every operation rounded; None: not finite. *)
Definition lift2 (f : dyadic -> dyadic -> option dyadic) (a b : option dyadic) : option dyadic :=
  match a, b with Some p, Some q => f p q | _, _ => None end.
Definition add64 (a b : dyadic) := rounded (dadd a b).
Definition mul64 (a b : dyadic) := rounded (dmul a b).
Definition sum64 (l : list dyadic) : option dyadic :=
  fold_left (fun s a => lift2 add64 s (Some a)) l (Some dzero).
Definition squares64 (l : list dyadic) : option dyadic :=
  fold_left (fun s a => lift2 add64 s (mul64 a a)) l (Some dzero).
Definition all_some {A} (l : list (option A)) : option (list A) :=
  fold_right (fun a l => match a, l with Some p, Some q => Some (p :: q) | _, _ => None end) (Some []) l.
Definition is_zero (a : dyadic) : bool := mantissa a =? 0.
(* A row over its length; a column around its mean, over its deviation with divisor n. What is 0 everywhere stays so. *)
Definition over (l : list dyadic) (length : option dyadic) : option (list dyadic) :=
  if forallb is_zero l then Some l else
  match length with Some s => all_some (map (fun a => quotient a s) l) | None => None end.
Definition unit_row (l : list dyadic) : option (list dyadic) :=
  over l (match squares64 l with Some s => root s | None => None end).
Definition standard_column (l : list dyadic) : option (list dyadic) :=
  let count := dint (length_of l) in
  let mean := match l with
              | a :: rest => if forallb (deq a) rest then Some a else lift2 quotient (sum64 l) (Some count)
              | [] => None
              end in
  match mean with
  | None => None
  | Some m =>
      match all_some (map (fun a => rounded (dsub a m)) l) with
      | None => None
      | Some l => over l (match lift2 quotient (squares64 l) (Some count) with Some s => root s | None => None end)
      end
  end.
Fixpoint transpose (width : nat) (l : list (list dyadic)) : list (list dyadic) :=
  match width with
  | O => []
  | S k => map (hd dzero) l :: transpose k (map (@tl dyadic) l)
  end.
Definition standardized (x : list (list dyadic)) : option (list (list dyadic)) :=
  let d := match x with row :: _ => List.length row | [] => O end in
  match all_some (map standard_column (transpose d x)) with
  | Some columns => Some (transpose (List.length x) columns)
  | None => None
  end.

(* A row as it is written, times the least power of ten that makes all of it integers. *)
Fixpoint drop_tens (fuel : nat) (m e : Z) : Z * Z :=
  match fuel with
  | O => (m, e)
  | S k => if m mod 10 =? 0 then drop_tens k (m / 10) (e + 1) else (m, e)
  end.
Definition lowest_terms (a : field) : Z * Z :=
  if decimal a =? 0 then (0, 0) else drop_tens (Z.to_nat (Z.log2 (Z.abs (decimal a)))) (decimal a) (tens a).
Definition whole (row : list field) : result (list dyadic) :=
  let terms := map lowest_terms row in
  let powers := map snd (filter (fun t => negb (fst t =? 0)) terms) in
  let least := match powers with [] => 0 | e :: rest => fold_left Z.min rest e end in
  check forallb (fun e => e - least <? 3000) powers else uncovered, "the sizes of a row's numbers are too different";
  Good (map (fun t => if fst t =? 0 then dzero else dint (fst t * 10 ^ (snd t - least))) terms).

(* Rows of the file that are kept: those of the ranges, in this order, with a target. *)
Fixpoint from {A} (k : Z) (l : list A) : list A := match l with [] => [] | _ :: rest => if 0 <? k then from (k - 1) rest else l end.
Fixpoint indexed {A} (k : Z) (l : list A) : list (Z * A) := match l with [] => [] | a :: rest => (k, a) :: indexed (k + 1) rest end.
Definition in_range (l : list (Z * line)) (range : Z * Z) : list (Z * line) := fst (cut (snd range - fst range) (from (fst range) l) []).

Record drow := DRow { dpoint : list dyadic; dtarget : list dyadic; dweight : dyadic }.
Record dataset := Dataset { rows_of_file : Z; kept : list Z; columns : Z; rows : list drow }.

Definition points (s : source) (l : list line) : result (list (list dyadic)) :=
  if decimals s then traverse (fun r => whole (fields r ++ match bias s with Augment => [one_field] | _ => [] end)%list) l [] else
  let x := map (fun r => map nearest_double (fields r)) l in
  match (match normalise s with Raw => Some x | Unit => all_some (map unit_row x) | Standardize => standardized x end) with
  | Some x => Good (map (fun row => (row ++ match bias s with Augment => [done] | _ => [] end)%list) x)
  | None => Bad unreadable "a row of the normalised data is not finite"
  end.

(* --- NPY arrays: version 1 or 2, f4, f8, integers and bool, little-endian, either order of indices --- *)

(* The number of the first k bytes, the lowest first, and what follows. *)
Fixpoint little (k : nat) (s : string) : option (Z * string) :=
  match k, s with
  | O, _ => Some (0, s)
  | S k, String c rest => match little k rest with Some (v, rest) => Some (code c + 256 * v, rest) | None => None end
  | _, EmptyString => None
  end.
(* The number of binary32 or binary64 with these bits; None: not finite. *)
Definition float_of (places powers v : Z) : option dyadic :=
  let m := v mod 2 ^ places in
  let e := (v / 2 ^ places) mod 2 ^ powers in
  let lowest := 2 - 2 ^ (powers - 1) - places in
  let sign := if v / 2 ^ (places + powers) =? 0 then 1 else -1 in
  if e =? 2 ^ powers - 1 then None
  else Some (if e =? 0 then Dy (sign * m) lowest else Dy (sign * (m + 2 ^ places)) (lowest + e - 1)).
Definition element (kind : ascii) (bytes v : Z) : option dyadic :=
  if Ascii.eqb kind "f" then if bytes =? 4 then float_of 23 8 v else if bytes =? 8 then float_of 52 11 v else None
  else if Ascii.eqb kind "i" then rounded (dint (if 2 ^ (8 * bytes - 1) <=? v then v - 2 ^ (8 * bytes) else v))
  else rounded (dint v).
Fixpoint elements (fuel : string) (kind : ascii) (bytes : Z) (s : string) (made : list field) : result (list field) :=
  match s, fuel with
  | EmptyString, _ => Good (rev' made)
  | _, EmptyString => Bad unreadable "the NPY file is not whole"
  | _, String _ fuel =>
      match little (Z.to_nat bytes) s with
      | Some (v, rest) =>
          match element kind bytes v with
          | Some a => elements fuel kind bytes rest (Field 0 0 a :: made)
          | None => Bad unreadable "a number of the NPY file is not finite"
          end
      | None => Bad unreadable "the NPY file is not whole"
      end
  end.
(* The header is text with 'key': value, each key once, without other quotes. *)
Fixpoint drop (k : nat) (s : string) : string := match k, s with S k, String _ rest => drop k rest | _, _ => s end.
Fixpoint after (key s : string) : option string :=
  match s with
  | EmptyString => None
  | String _ rest => if prefix key s then Some (drop (String.length key) s) else after key rest
  end.
Definition value_of (key header : string) : option string :=
  match after key header with
  | Some (String c rest) =>
      match after key rest with
      | None => if Ascii.eqb c ":" then Some (skip (fun c => Ascii.eqb c " ") rest) else None
      | Some _ => None
      end
  | _ => None
  end.
Fixpoint without_spaces (s : string) : string :=
  match s with String c rest => if Ascii.eqb c " " then without_spaces rest else String c (without_spaces rest) | EmptyString => s end.
Definition dimension_of (word : string) : option Z :=
  match index word with Some k => if size word <=? 10 then Some k else None | None => None end.
Definition shape_of (text : string) : option (Z * Z) :=
  match text with
  | String c rest =>
      match split ")" rest with
      | inner :: _ :: _ =>
          match Ascii.eqb c "(", split "," (without_spaces inner) with
          | true, [n; ""] => match dimension_of n with Some n => Some (n, 1) | None => None end
          | true, [n; d] => match dimension_of n, dimension_of d with Some n, Some d => Some (n, d) | _, _ => None end
          | _, _ => None
          end
      | _ => None
      end
  | EmptyString => None
  end.
(* "'<f8'", "'|b1'", ..: kind and bytes. *)
Definition form_of (text : string) : option (ascii * Z) :=
  match text with
  | String q (String mark (String kind (String digit (String r _)))) =>
      let name := String kind (String digit "") in
      if Ascii.eqb q "'" && Ascii.eqb r "'" && (Ascii.eqb mark "<" || Ascii.eqb mark "|") &&
         existsb (String.eqb name) ["f4"; "f8"; "i1"; "i2"; "i4"; "i8"; "u1"; "u2"; "u4"; "u8"; "b1"]
      then Some (kind, code digit - 48) else None
  | _ => None
  end.
(* The first k characters, and the rest. *)
Fixpoint take (k : Z) (s made : string) : option (string * string) :=
  if k <=? 0 then Some (rev_onto made "", s)
  else match s with String c rest => take (k - 1) rest (String c made) | EmptyString => None end.
Fixpoint grouped {A} (count : nat) (each : Z) (l : list A) : list (list A) :=
  match count with O => [] | S k => let (first, rest) := cut each l [] in first :: grouped k each rest end.
Fixpoint turned_over {A} (width : nat) (columns : list (list A)) : list (list A) :=
  match width with
  | O => []
  | S k => flat_map (fun c => match c with a :: _ => [a] | [] => [] end) columns :: turned_over k (map (@tl A) columns)
  end.
Definition read_array (data : string) : result (list (list field)) :=
  let bad {A} : result A := Bad unreadable "this is no NPY file of version 1 or 2 with a matrix or vector of numbers" in
  match take 8 data "" with
  | Some (String m (String a (String b (String c (String d (String e (String version (String _ EmptyString))))))), rest) =>
      let wide := if code version =? 1 then 2%nat else 4%nat in
      check (code m =? 147) && String.eqb (String a (String b (String c (String d (String e ""))))) "NUMPY" &&
            ((code version =? 1) || (code version =? 2)) else unreadable, "this is no NPY file of version 1 or 2";
      match little wide rest with
      | Some (length, rest) =>
          match take length rest "" with
          | Some (header, body) =>
              check negb (has (ascii_of_nat 34) header || has "\" header || has (ascii_of_nat 0) header) else unreadable, "the NPY file's header";
              match value_of "'fortran_order'" header, value_of "'descr'" header, value_of "'shape'" header with
              | Some order, Some form, Some shape =>
                  match form_of form, shape_of shape with
                  | Some (kind, bytes), Some (n, d) =>
                      check (prefix "True" order || prefix "False" order) && (0 <? n) && (0 <? d) && (n * d * bytes =? size body)
                        else unreadable, "the NPY file's size does not agree with its shape";
                      do all <- elements body kind bytes body [];
                      Good (if prefix "True" order then turned_over (Z.to_nat n) (grouped (Z.to_nat d) n all) else grouped (Z.to_nat n) d all)
                  | _, _ => bad
                  end
              | _, _, _ => bad
              end
          | None => bad
          end
      | None => bad
      end
  | _ => bad
  end.
Definition read_npy (data labels : string) : result (list line) :=
  do x <- read_array data;
  do y <- read_array labels;
  check length_of x =? length_of y else unreadable, "there are not as many labels as rows";
  Good (map (fun p => Line (fst p) (inl (snd p)) done) (combine x y)).

Definition read_file (l : layout) (data labels : string) : result (list line) :=
  match l with Csv header target weights => read_csv header target weights data | Libsvm d => read_libsvm d data | Npy => read_npy data labels end.

(* The data set of one file, or of two: points and labels. *)
Definition dataset_of (s : source) (data labels : string) : result dataset :=
  do file <- read_file (layout_of s) data labels;
  let count := length_of file in
  check forallb (fun r => (0 <=? fst r) && (fst r <=? snd r) && (snd r <=? count)) (ranges s) else rejected, "there are no such rows";
  check negb (decimals s && match normalise s with Raw => false | _ => true end) else rejected, "decimals are not normalised";
  check negb (decimals s && match layout_of s with Npy => true | _ => false end) else rejected, "arrays have no decimals";
  let texts := existsb (fun r => match label r with inl _ => false | inr _ => true end) file in
  check match coding_of s, names_of s with
        | Plain, _ => negb texts
        | Signs, l => (count_names l =? 2) && Bool.eqb texts (match l with Texts _ => true | _ => false end)
        | _, l => Bool.eqb texts (match l with Texts _ => true | _ => false end)
        end else rejected, "the targets are not of this kind";
  let chosen := flat_map (in_range (indexed 0 file)) (ranges s) in
  let taken := flat_map (fun p => match target_of s (snd p) with Some y => [(p, y)] | None => [] end) chosen in
  let lines := map (fun q => snd (fst q)) taken in
  check negb (match taken with [] => true | _ => false end) else rejected, "no row is kept";
  check forallb (fun r => 0 <? mantissa (mass r)) lines else unreadable, "the weight of a row is not positive";
  do x <- points s lines;
  let d := match x with row :: _ => length_of row | [] => 0 end in
  Good (Dataset count (map (fun q => fst (fst q)) taken) d
          (map (fun '(row, (p, y)) => DRow row y (mass (snd p))) (combine x taken))).
