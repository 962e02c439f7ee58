(* SPDX-License-Identifier: Apache-2.0 *)
(* The lines of a certificate before its claims: data, rows, classes, steps, gates. *)
From Coq Require Import ZArith List String Ascii Bool.
From Fathom Require Import Numbers Text Data Statement Vectors Rows Sha256.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Record context := Context { from_source : source; file_hash : string; second_hash : option string; set : dataset; gate_list : gates }.
(* ".. bytes N" at the end of the line `data`. *)
Fixpoint before_bytes (words before : list string) : list string * list string :=
  match words with
  | [] => (rev' before, [])
  | w :: rest => if String.eqb w "bytes" then (rev' before, rest) else before_bytes rest (w :: before)
  end.
Definition int_of (word : string) : result Z := if String.eqb word "-1" then Good (-1) else index_of word.
Definition is_size (word : string) (bytes : string) : bool := match index word with Some k => k =? size bytes | None => false end.
Definition read_layout (words : list string) (data labels : string) : result (layout * string * option string) :=
  let (words, length) := before_bytes words [] in
  check match length, words with
        | [], _ => true
        | [k], _ => is_size k data
        | [k; m], kind :: _ => String.eqb kind "npy" && is_size k data && is_size m labels
        | _, _ => false
        end else rejected, "the certificate is about data of another length";
  match words with
  | kind :: sha :: rest =>
      check String.eqb sha (sha256 data) else rejected, "the certificate is not about this data";
      match rest with
      | [header; target; weights] =>
          check String.eqb kind "csv" && (String.eqb header "0" || String.eqb header "1") else rejected, "the line of the data";
          do target <- index_of target;
          do weights <- int_of weights;
          Good (Csv (String.eqb header "1") target weights, sha, None)
      | [word] =>
          if String.eqb kind "npy" then
            check String.eqb word (sha256 labels) else rejected, "the certificate is not about this file of labels";
            Good (Npy, sha, Some word)
          else
            check String.eqb kind "libsvm" else rejected, "the line of the data";
            do columns <- index_of word;
            Good (Libsvm columns, sha, None)
      | _ => Bad rejected "the line of the data"
      end
  | _ => Bad rejected "the line of the data"
  end.

Fixpoint pairs_of (words : list string) (made : list (Z * Z)) : result (list (Z * Z)) :=
  match words with
  | [] => Good (rev' made)
  | a :: b :: rest => do a <- index_of a; do b <- index_of b; pairs_of rest ((a, b) :: made)
  | _ => Bad rejected "the line of the rows"
  end.
Definition read_ranges (words : list string) : result (list (Z * Z)) :=
  match words with
  | count :: rest =>
      do count <- index_of count;
      check 2 * count =? length_of rest else rejected, "the line of the rows";
      pairs_of rest []
  | [] => Bad rejected "the line of the rows"
  end.

(* Bytes as pairs of hexadecimal digits; no zero byte. *)
Fixpoint hex_text (word : string) : option string :=
  match word with
  | EmptyString => Some ""
  | String a (String b rest) =>
      match digit 16 a, digit 16 b, hex_text rest with
      | Some p, Some q, Some text => if 16 * p + q =? 0 then None else Some (String (ascii_of_N (Z.to_N (16 * p + q))) text)
      | _, _, _ => None
      end
  | _ => None
  end.
Definition hex_text_of (word : string) : result string :=
  match hex_text word with Some s => Good s | None => Bad rejected "a label in hexadecimal bytes was expected" end.
Definition read_classes (words : list string) : result (coding * names) :=
  match words with
  | [none] => check String.eqb none "none" else rejected, "the line of the classes"; Good (Plain, Numbers [])
  | code :: kind :: count :: labels =>
      do count <- index_of count;
      check count =? length_of labels else rejected, "the line of the classes";
      do code <- (if String.eqb code "index" then Good Index else if String.eqb code "signs" then Good Signs
                  else if String.eqb code "columns" then Good Columns else Bad rejected "the line of the classes");
      if String.eqb kind "numbers" then do v <- traverse number_of labels []; Good (code, Numbers v)
      else if String.eqb kind "texts" then do v <- traverse hex_text_of labels []; Good (code, Texts v)
      else Bad rejected "the line of the classes"
  | _ => Bad rejected "the line of the classes"
  end.
Definition read_steps (words : list string) : result (normalisation * biases * Z * Z * bool) :=
  match words with
  | step :: bias :: n :: d :: more =>
      do step <- (if String.eqb step "none" then Good Raw else if String.eqb step "unit" then Good Unit
                  else if String.eqb step "standardize" then Good Standardize else Bad rejected "the line of the steps");
      do bias <- (if String.eqb bias "none" then Good NoBias else if String.eqb bias "augment" then Good Augment
                  else if String.eqb bias "free" then Good Free else Bad rejected "the line of the steps");
      do n <- index_of n;
      do d <- index_of d;
      match more with
      | [] => Good (step, bias, n, d, false)
      | [exactly] => check String.eqb exactly "decimals" else rejected, "the line of the steps"; Good (step, bias, n, d, true)
      | _ => Bad rejected "the line of the steps"
      end
  | _ => Bad rejected "the line of the steps"
  end.

(* One hexadecimal digit for four rows, the first in its lowest bit; n rows. *)
Fixpoint bits_of (word : string) : option (list bool) :=
  match word with
  | EmptyString => Some []
  | String c rest =>
      match digit 16 c, bits_of rest with
      | Some v, Some more => Some (Z.testbit v 0 :: Z.testbit v 1 :: Z.testbit v 2 :: Z.testbit v 3 :: more)
      | _, _ => None
      end
  end.
Definition pattern_of (n : Z) (word : string) : result (list bool) :=
  match bits_of word with
  | Some bits =>
      let (used, more) := cut n bits [] in
      check (size word =? (n + 3) / 4) && negb (existsb (fun b => b) more) else rejected, "a pattern was expected";
      Good used
  | None => Bad rejected "a pattern was expected"
  end.
Definition read_gates (n d : Z) (l : lines) : result (gates * lines) :=
  do (words, l) <- line_of "gates" l;
  match words with
  | [kind; count] =>
      do count <- index_of count;
      if String.eqb kind "orientations" then
        do (found, l) <- many count (numbers_line "gate" d) l;
        Good (Orientations found, l)
      else if String.eqb kind "patterns" then
        do (found, l) <- many count (fun l => do (words, l) <- line_of "gate" l;
                                              match words with [word] => do p <- pattern_of n word; Good (p, l) | _ => mismatch end) l;
        Good (Patterns found, l)
      else Bad rejected "the line of the gates"
  | _ => Bad rejected "the line of the gates"
  end.

Definition row_count (c : dataset) : Z := length_of (rows c).
Definition read_context (data labels : string) (l : lines) : result (context * lines) :=
  do (version, l) <- line_of "fathom-certificate" l;
  check match version with [k] => String.eqb k "2" | _ => false end else rejected, "this program reads format 2 of certificates";
  do (words, l) <- line_of "data" l;
  do (layout, sha, second) <- read_layout words data labels;
  do (words, l) <- line_of "rows" l;
  do ranges <- read_ranges words;
  do (words, l) <- line_of "classes" l;
  do (code, names) <- read_classes words;
  do (words, l) <- line_of "steps" l;
  do (step, bias, n, d, exactly) <- read_steps words;
  let source := Source layout ranges code names step bias exactly in
  do set <- dataset_of source data labels;
  check (row_count set =? n) && (columns set =? d) else rejected, "the data has another shape";
  do (gates, l) <- read_gates n d l;
  Good (Context source sha second set gates, l).
