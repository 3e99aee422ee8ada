#![allow(CODE)]
//! COMMENT "COMMENT"
/// COMMENT 'COMMENT
/* COMMENT /* COMMENT */ COMMENT " */ fn CODE<'a>(CODE: &'a str) -> &'static str { CODE }
let CODE = "STRING \" STRING // STRING
    STRING" + CODE;
let CODE = r"STRING \" + r#"STRING " STRING"# + br##"STRING "# STRING"## + CODE + cr#"STRING"#;
let CODE = b"STRING" + c"STRING" + CODE; let CODE = ('S', b'S', '\'', '"', '\u{1F600}', '\\', 'é');
'CODE: loop { break 'CODE; } // COMMENT
let CODE: Foo<'_, 'b> = CODE; let r#type = CODE; foo!('a', "STRING", 'b, r#CODE);
let CODE = 1 / 2; /**/ CODE /***/ CODE /** COMMENT */
