(* SPDX-License-Identifier: Apache-2.0 *)
(* The extracted checker on the bytes of the files, with a limit of work. *)
open Checker
open Words

(* What a statement can say: its numbers lie in the normal range of binary64, and so do its bounds (a margin may have no upper one). *)
let sayable v = Big.sign v.mantissa = 0 || (match Float.classify_float (nearest_real v) with FP_normal -> true | _ -> false)
let speakable a =
  let numbers, parts = match a.said.claimed with
    | Train (_, loss, n, beta, _, _, _, _) ->
      (match loss with Huber d | Equality d -> [ n; beta; d ], [] | Quantile t -> [ n; beta; t ], [ t ] | _ -> [ n; beta ], [])
    | Largest (_, n, beta, _, _, _, _) -> [ n; beta ], []
    | Spectrum (_, factor, _, _, _) -> [ factor ], []
    | Limit (_, slope, r, s, k, _, _, _) -> let slope = Option.to_list slope in slope @ [ r; s; k ], slope
    | _ -> [], [] in
  let upper = match a.said.claimed with Largest _ -> 0. | _ -> bound a.upper_bound in
  List.for_all sayable numbers && List.for_all (fun t -> nearest_real t < 1.) parts && Float.is_finite (bound a.lower_bound) && Float.is_finite upper

(* Work that the sizes of the files justify, in products of words. *)
let judged certificate data labels =
  let size = float_of_int (String.length certificate) *. float_of_int (String.length data + String.length labels) in
  Big.allow (Float.min 1e18 (1e9 +. 100. *. size));
  match checked (chars certificate) (chars data) (chars labels) with
  | Good answers when List.for_all speakable answers -> answers
  | Good _ -> stop 4 "a number is beyond the range of doubles"
  | Bad (code, why) -> stop (Big.to_int code) (text why)
  | exception Big.Too_much -> stop 6 "this is more work than files of these sizes justify"
  | exception (Stack_overflow | Out_of_memory) -> stop 6 "more memory would be needed"
