-- COMMENT "COMMENT"
CODE : String := "STRING ""STRING"" -- STRING" & CODE'First & 'S' & '\' & ''' & '"' & Character'('S'); -- COMMENT
