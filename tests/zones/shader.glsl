// COMMENT
/* COMMENT */ float CODE = 1.0 / 2.0; // COMMENT 'COMMENT
#version 450 CODE
