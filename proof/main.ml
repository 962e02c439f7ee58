(* SPDX-License-Identifier: Apache-2.0 *)
(* fathom-check-verified CERTIFICATE DATA: the files to the extracted checker. Nothing here decides what is accepted. *)
open Words
open Judge

let usage = "usage: fathom-check-verified CERTIFICATE DATA [--labels FILE] [--model FILE] [--expect 'KEY=VALUE ...'|FILE]\n\
                             [--explain] [--json]\n\
\n\
Verifies a certificate (text, or gzip) in exact arithmetic, by a program that was extracted from its proof (docs/explanation/proof.md), with the\n\
words and options of fathom-check. Kinds of claims that are not proved yet end with exit code 6. Exit codes: 0 accepted, 4 rejected,\n\
5 a file cannot be read, 6 not covered or too large, 2 usage.\n"

let read_file path =
  try
    let channel = open_in_bin path in
    Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))
  with Sys_error _ | End_of_file | Invalid_argument _ -> stop 5 (path ^ " cannot be read, or is too large")
let unpacked path bytes =
  try if Inflate.packed bytes then Inflate.unpack bytes else bytes with Inflate.Damaged -> stop 5 (path ^ " cannot be read, or is too large")

(* Labels of NAME.npy stand in NAME.labels.npy unless they are named; what is missing is empty. *)
let labels_beside data labels = match labels with
  | Some path -> (try read_file path with Stop _ -> "")
  | None ->
    if Filename.check_suffix data ".npy" then (try read_file (Filename.chop_suffix data ".npy" ^ ".labels.npy") with Stop _ -> "") else ""

type asked = { labels : string option; model : string option; wanted : string option; json : bool; explained : bool; paths : string list; wrong : bool }

let run asked certificate data =
  let wanted = Option.map (fun text -> (* an expectation without "=" is a file *)
    if String.contains text '=' then expectations text
    else let text = read_file text in if Model.is_object text then Model.texts "--expect" text else expectations text) asked.wanted in
  let model = Option.map read_file asked.model in
  let answers = judged (unpacked certificate (read_file certificate)) (read_file data) (labels_beside data asked.labels) in
  Option.iter (fun bytes -> Model.compare bytes answers) model;
  Option.iter (fun wanted -> expect wanted answers) wanted;
  if asked.json then print_string (json_answer asked.model asked.explained answers) else print_answers asked.model asked.explained answers

let refuse json code why =
  let why = String.map (fun c -> if c = '"' || c = '\\' then '\'' else if Char.code c < 32 then '?' else c) why in
  if json then
    Printf.printf "{\"accepted\": false, \"upper\": null, \"lower\": null, \"gap\": null, \"claims\": [], \"reason\": \"%s\"}\n" why
  else Printf.printf "%s%s\n" (if code = 4 then "rejected: " else "not checked: ") why;
  exit code

let () =
  let rec read asked = function
    | [] -> asked
    | "--help" :: _ -> print_string usage; exit 0
    | "--json" :: rest -> read { asked with json = true } rest
    | "--explain" :: rest -> read { asked with explained = true } rest
    | "--labels" :: value :: rest -> read { asked with labels = Some value } rest
    | "--model" :: value :: rest -> read { asked with model = Some value } rest
    | "--expect" :: value :: rest -> read { asked with wanted = Some value } rest
    | word :: rest when word <> "" && word.[0] = '-' -> read { asked with wrong = true } rest
    | word :: rest -> read { asked with paths = asked.paths @ [ word ] } rest in
  let asked = read { labels = None; model = None; wanted = None; json = false; explained = false; paths = []; wrong = false }
      (List.tl (Array.to_list Sys.argv)) in
  match asked.paths with
  | [ certificate; data ] when not asked.wrong -> (try run asked certificate data with Stop (code, why) -> refuse asked.json code why)
  | _ -> prerr_string usage; exit 2
