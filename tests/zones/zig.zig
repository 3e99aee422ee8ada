// COMMENT "COMMENT"
const CODE = "STRING \" STRING" ++ CODE; // COMMENT
const CODE =
    \\STRING "STRING" // STRING
    \\STRING
; const CODE = 'S' + '\'' + '"'; CODE / CODE;
