(* SPDX-License-Identifier: Apache-2.0 *)
(* each_damaged LABELS|-..: certificates as tests/checker/mutate.c streams them ("CODE SAMPLE A B C", then A bytes of certificate, B of data, C
   of what fathom-check says) before the extracted checker, LABELS being those of each sample. What one accepts the other accepts with the
   same answer, byte for byte, unless one of them says that it is too large or not covered (6). Prints counts; exit code 1 where some differ. *)
open Words

let () =
  let labels = Array.map (fun path -> if path = "-" then "" else
      let file = open_in_bin path in really_input_string file (in_channel_length file))
      (Array.sub Sys.argv 1 (Array.length Sys.argv - 1)) in
  let seen = ref 0 and accepted = ref 0 and not_covered = ref 0 and wrong = ref 0 in
  (try
     while true do
       Scanf.sscanf (input_line stdin) "%d %d %d %d %d" (fun code sample a b c ->
         let take n = really_input_string stdin n in
         let certificate = take a in
         let data = take b in
         let said = take c in
         let mine, answer = try 0, json_answer None false (Judge.judged certificate data labels.(sample)) with Stop (code, why) -> code, why in
         incr seen;
         if mine = 0 then incr accepted;
         if mine = 6 || code = 6 then incr not_covered
         else if (mine = 0) <> (code = 0) || (mine = 0 && String.trim answer <> String.trim said) then begin
           incr wrong;
           if !wrong < 10 then Printf.printf "exit code %d instead of %d\n  fathom-check: %s\n  verified:     %s\n%s\n" mine code said answer
             (String.sub certificate 0 (min 1500 (String.length certificate)))
         end)
     done
   with End_of_file -> ());
  Printf.printf "%d damaged copies: %d accepted by both, %d not covered or too large, %d judged differently\n" !seen !accepted !not_covered !wrong;
  exit (if !wrong > 0 then 1 else 0)
