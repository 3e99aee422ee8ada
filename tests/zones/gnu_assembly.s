/* COMMENT */
# COMMENT
#define CODE 1
CODE: mov r0, #1 @ COMMENT
 .ascii "STRING ; STRING \" STRING" ; CODE // COMMENT
 movl %eax, CODE # COMMENT
