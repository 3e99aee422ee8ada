(* COMMENT "COMMENT *)" COMMENT *) Require Import CODE.
Definition CODE := "STRING ""STRING"" STRING". CODE' (* COMMENT *)
