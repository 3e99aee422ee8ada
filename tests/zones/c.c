// COMMENT "COMMENT" 'COMMENT' /* COMMENT
// COMMENT goes on \
   COMMENT "COMMENT"
/* COMMENT // COMMENT
   /* COMMENT does not nest */ CODE(1);
#include <CODE.h>
#include "STRING.h"
#error CODE doesn't /* COMMENT */ CODE "STRING" // COMMENT
#define CODE(x) "STRING" #x 'S' // COMMENT
char *CODE = "STRING // STRING \" STRING \\" CODE "STRING /* STRING";
char CODE = 'S', CODE = '"', CODE = '\'', CODE = L'S', *CODE = L"STRING", *CODE = u8"STRING";
char *CODE = "STRING \
STRING" CODE;
int CODE = 1'000'000, CODE = 0xFF'FF'00; // COMMENT
int CODE = 10 / 2; int CODE = a /* COMMENT */ / CODE;
char *CODE = "STRING is not closed
int CODE; // COMMENT
