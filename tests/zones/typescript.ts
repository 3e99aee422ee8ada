// COMMENT
const CODE = <CODE>"STRING" + CODE! / 2 + `STRING ${CODE as "STRING"}`; type CODE = `STRING${CODE}`; // COMMENT
function CODE<T>(this: CODE): CODE is "STRING" { return /CODE'CODE/.exec("STRING")!; } /* COMMENT */
const CODE = <T,>(x: T) => "STRING" as const; @CODE('STRING') class CODE { #CODE = 'STRING'; } // COMMENT
