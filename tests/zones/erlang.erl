%% COMMENT "COMMENT"
CODE() -> "STRING \" % STRING
STRING" ++ 'CODE "CODE' ++ [$", $', $\", $%, $\\] ++ CODE. % COMMENT
CODE = <<"STRING">>, ~"STRING \" STRING", ~s`STRING "`, ~B'STRING \', CODE, CODE = """
  STRING "STRING"
  """.
