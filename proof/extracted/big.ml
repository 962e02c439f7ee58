(* The integers that the extracted checker computes with: zarith. *)
include Z
