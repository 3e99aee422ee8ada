; COMMENT
@CODE = constant [4 x i8] c"STRING", align 1 ; COMMENT
