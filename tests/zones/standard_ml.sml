(* COMMENT (* COMMENT *) COMMENT *) val CODE = "STRING \" STRING" ^ #"S" ^ CODE : 'a
