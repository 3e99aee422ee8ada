(* COMMENT (* COMMENT *) "COMMENT *) \" COMMENT" '"' COMMENT *) let CODE = "STRING \" STRING
STRING" ^ CODE
let CODE = {|STRING "STRING" \|} ^ {id|STRING |} STRING|id} ^ CODE and CODE = 'S', '\'', '"', '\\'
let (CODE : 'a -> 'b) = CODE' and ( * ) = CODE (*) CODE (* COMMENT *)
