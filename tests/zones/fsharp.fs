// COMMENT "COMMENT"
(* COMMENT (* COMMENT *) "COMMENT *)" COMMENT *) let CODE = "STRING \" STRING
STRING" + @"STRING \" + """STRING "STRING" \""" + CODE
let CODE = $"STRING {CODE} {{STRING}} {CODE:N2}" + $"""STRING "{CODE + "STRING"}" STRING""" + $$"""STRING {STRING} {{CODE}}""" + CODE
let CODE : 'a = 'S', '\'', '"', CODE' and ``CODE "CODE`` = (*) CODE // COMMENT
