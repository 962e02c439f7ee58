(* SPDX-License-Identifier: Apache-2.0 *)
(* The extracted checker on the bytes of the files, with a limit of work. *)
open Checker
open Words

(* Work that the sizes of the files justify, in products of words. *)
let judged certificate data labels =
  let size = float_of_int (String.length certificate) *. float_of_int (String.length data + String.length labels) in
  Big.allow (Float.min 1e18 (1e9 +. 100. *. size));
  match checked (chars certificate) (chars data) (chars labels) with
  | Good answers -> answers
  | Bad (code, why) -> stop (Big.to_int code) (text why)
  | exception Big.Too_much -> stop 6 "this is more work than files of these sizes justify"
  | exception (Stack_overflow | Out_of_memory) -> stop 6 "more memory would be needed"
