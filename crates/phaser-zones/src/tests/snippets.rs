//! Short texts of hard constructs. Each word `CODE`, `COMMENT` and `STRING` names the zone it is in.

use super::super::Zones;
use super::WORDS;

/// The words of `text` that are not in the zone they name, with the zone they are in.
fn misplaced(path: &str, text: &str) -> Vec<String> {
    let zones = Zones::of(path.as_bytes(), text.as_bytes()).expect("a known language");
    let words =
        WORDS.iter().flat_map(|&(word, zone)| text.match_indices(word).map(move |found| (found, zone)));
    words
        .filter(|&((at, word), zone)| (at..at + word.len()).any(|at| zones.at(at) != zone))
        .map(|((at, word), _)| format!("{path}: {text:?}: {word} at {at} is {:?}", zones.at(at)))
        .collect()
}

fn check(snippets: &[(&str, &str)]) {
    let wrong: Vec<String> = snippets.iter().flat_map(|(path, text)| misplaced(path, text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn line_terminators_differ_by_language() {
    check(&[
        ("a.py", "# COMMENT\rCODE"),
        ("a.py", "# COMMENT\r\nCODE"),
        ("a.js", "// COMMENT\rCODE"),
        ("a.js", "// COMMENT\u{2028}CODE // COMMENT\u{2029}CODE"),
        ("a.ts", "// COMMENT\u{2028}CODE"),
        ("a.tsx", "x = <a // COMMENT\rb='STRING' />; CODE"),
        ("a.java", "// COMMENT\rCODE"),
        ("a.cs", "// COMMENT\rCODE // COMMENT\u{85}CODE // COMMENT\u{2028}CODE"),
        ("a.kt", "// COMMENT\rCODE"),
        ("a.swift", "// COMMENT\rCODE"),
        ("a.php", "<?php // COMMENT\rCODE # COMMENT\rCODE $x = <<<A\rSTRING\rA;\rCODE"),
        ("a.lua", "-- COMMENT\rCODE"),
        ("a.sql", "-- COMMENT\rCODE"),
        ("a.c", "// COMMENT\rCODE\r#error it's\rCODE"),
        ("a.yaml", "# COMMENT\rCODE: |\r  STRING\rCODE: 1"),
        ("a.py", "x = 'STRING\rCODE"),
        ("a.js", "x = 'STRING\u{2028}STRING'; CODE"),
        ("a.rs", "// COMMENT\rCOMMENT\nCODE \"STRING\rSTRING\" CODE"),
        ("a.rb", "# COMMENT\rCOMMENT\nCODE"),
        ("a.sh", "# COMMENT\rCOMMENT\nCODE"),
    ]);
}

#[test]
fn template_is_outside_its_page() {
    check(&[
        ("a.php", "<!-- COMMENT <?php CODE 'STRING' /* COMMENT */ ?> COMMENT --> CODE"),
        (
            "a.php",
            "<script>x = \"STRING <?= CODE ?> STRING\"; // COMMENT <?php CODE ?> COMMENT\nCODE</script>",
        ),
        ("a.php", "<script>/* COMMENT <?= CODE('STRING</script>') ?> COMMENT */ CODE</script>CODE"),
        ("a.php", "<a b=<?= CODE ?> c='STRING<?= CODE ?>'><style>a { b: 'STRING<?= CODE ?>' }</style>"),
        ("a.php", "<script>x = <?= CODE ?> /2; s = 'STRING/'; CODE</script>"),
        ("a.php", "<?php CODE // COMMENT ?> <b c=\"STRING\"> CODE <?php 'STRING ?> STRING' ?>"),
        ("a.erb", "<!-- COMMENT <%= CODE 'STRING' %> --> CODE <script>x = 'STRING <%= CODE %>' </script>"),
        ("a.erb", "<!-- <%# COMMENT --> %> COMMENT --> CODE <!-- <%% COMMENT --> CODE"),
        ("a.ejs", "<!-- COMMENT <% CODE %> --> <script>`STRING <%- CODE %> ${CODE} STRING`</script>"),
        ("a.jsp", "<!-- COMMENT <% CODE(\"STRING\"); %> --> <script>'STRING <%= CODE %>'</script>"),
        ("a.jsp", "<script>x = '<%-- COMMENT ' --%> STRING'; CODE</script>"),
        (
            "a.heex",
            "<!-- COMMENT <%= CODE %> --> <script>'STRING <%= CODE %>'</script> <a b={CODE \"STRING\"}>",
        ),
    ]);
}

#[test]
fn slash_divides_after_values() {
    check(&[
        ("a.js", "x = {}/1; y = 'STRING/STRING'; CODE"),
        ("a.js", "x = function(){}/1; y = 'STRING/STRING'; CODE"),
        ("a.js", "x = function name(a, b) {}/1; y = 'STRING/STRING'; CODE"),
        ("a.js", "f({a: {}}/1, 'STRING/STRING'); CODE"),
        ("a.js", "x = /a/ / 2; y = 'STRING/STRING'; CODE"),
        ("a.js", "var of = 4; x = of /1; s = 'STRING/STRING'; CODE"),
        ("a.js", "x = y++ /1; s = 'STRING/STRING'; CODE"),
        ("a.ts", "x = y! /1; s = 'STRING/STRING'; CODE"),
    ]);
}

#[test]
fn slash_opens_regular_expression_before_operands() {
    check(&[
        ("a.js", "for (x of /'/.exec(y)) CODE"),
        ("a.js", "for (const [x] of /'/.exec(y)) CODE"),
        ("a.js", "x = ++/'/.lastIndex; CODE"),
        ("a.js", "x = y + ++ /'/.lastIndex; CODE"),
        ("a.js", "if (a) {} /'/.test(b); CODE"),
        ("a.js", "function f() {} /'/.test(b); CODE"),
        ("a.js", "x = () => {}\n/'/.test(b); CODE"),
        ("a.js", "switch (a) { case 1: {} /'/.test(b); CODE }"),
        ("a.js", "class A {} /'/.test(b); CODE"),
        ("a.js", "a: {} /'/.test(b); CODE"),
        ("a.js", "x = {a: /'/, b: [/'/], c: !/'/}; CODE"),
        ("a.swift", "let r = /a\"b/; CODE"),
        ("a.swift", "let x = a / b; let s = \"STRING/STRING\"; CODE"),
        ("a.swift", "let x = a\n  / b; let s = \"STRING/STRING\"; CODE"),
        ("a.swift", "x.reduce(1, /); s = \"STRING/STRING\"; CODE"),
    ]);
}

#[test]
fn old_comments_of_scripts() {
    check(&[
        ("a.js", "x = 1 <!-- COMMENT `\nCODE\n  --> COMMENT `\nCODE"),
        ("a.js", "while (n --> 0) CODE"),
        ("a.html", "<script><!-- COMMENT '\nCODE\n// COMMENT -->\n</script>CODE"),
        ("a.ts", "x <!--CODE"),
    ]);
}

#[test]
fn quotes_in_shell_parameters() {
    check(&[
        ("a.sh", "f() { x=\"${y%'\"'}\"; }\nCODE"),
        ("a.sh", "x=\"${y#'}'}\" CODE; x=\"${y/'\"'/z}\" CODE; x=\"${y[@]%'\"'}\" CODE"),
        ("a.sh", "x=\"${y:-it's}\" CODE; x=\"${y-it's}\" CODE 'STRING'"),
        ("a.sh", "x=\"${#y}\" CODE; x=\"${!y}\" CODE; x=\"${y:1}\" CODE \"STRING\""),
    ]);
}

#[test]
fn characters_and_names_of_ruby() {
    check(&[
        ("a.rb", "puts ?'\nCODE 'STRING'"),
        ("a.rb", "f ?\", ?'; CODE 'STRING'"),
        ("a.rb", "x = y ? ?\" : z; CODE"),
        ("a.rb", "x = y ?'STRING' : 'STRING'; CODE"),
        ("a.rb", "x = y ?' STRING' : 'STRING'; CODE"),
        ("a.rb", "x.empty? ? 'STRING' : CODE"),
        ("a.rb", "def `(c) CODE end\ndef self.`(c) CODE end; `STRING`; CODE"),
        ("a.rb", "alias ` f\nCODE"),
    ]);
}

#[test]
fn names_in_backquotes() {
    check(&[
        ("a.kt", "fun `it's`() { CODE }"),
        ("a.scala", "def `it's` = CODE"),
        ("a.swift", "func `it's \"it\"`() { CODE }"),
    ]);
}

#[test]
fn escapes_of_strings() {
    check(&[
        ("a.py", "rf\"STRING\\N{CODE}\" f\"\\N{STRING}\" Rf'\\N{CODE}' t'\\N{STRING}'"),
        ("a.lua", "x = \"STRING\\z\n  STRING\" CODE"),
        ("a.lua", "x = \"STRING\\\n  STRING\" CODE"),
        ("a.hs", "x = \"STRING\\\n  \\\" CODE"),
    ]);
}

#[test]
fn repeated_marks_open_holes() {
    check(&[
        ("a.cs", "x = $$$$\"\"\"STRING{{{STRING}}}{{{{CODE}}}} {{{{{CODE}}}}} \"\"\"; CODE"),
        ("a.cs", "x = $$\"\"\"\"STRING\"\"\"{STRING}{{CODE{}}}\"\"\"\"; CODE"),
        (
            "a.cs",
            "x = $@\"STRING\"\"{CODE}\"; y = @$\"STRING\\{CODE}\"; z = $\"STRING{{STRING}}{CODE}\"; CODE",
        ),
        ("a.kt", "x = $$\"\"\"STRING${STRING}$$STRING$${CODE}\"\"\"; CODE"),
        ("a.kt", "x = $$$\"STRING$${STRING}$$${CODE}\"; y = \"${CODE}\"; CODE"),
        ("a.fs", "x = $$$\"\"\"STRING{{STRING}}{{{CODE}}}\"\"\"; CODE"),
    ]);
}

#[test]
fn documents_end_block_scalars() {
    check(&[
        ("a.yaml", "--- |\nSTRING\n...\nCODE: 1\n"),
        ("a.yaml", "--- >\nSTRING\n---\nCODE: 1\n--- |\nSTRING\n---- STRING\n...STRING\n--- CODE\n"),
    ]);
}

#[test]
fn odd_ends_of_comments() {
    check(&[
        ("a.html", "<!--> CODE <!---> CODE <!-- COMMENT --!> CODE <!-- COMMENT --> CODE"),
        ("a.erb", "<!--> CODE <!-- COMMENT --!> CODE"),
        ("a.md", "<!--> CODE <!-- COMMENT --> CODE"),
    ]);
}

#[test]
fn remarks_after_separators() {
    check(&[
        (
            "a.bat",
            "echo CODE & rem COMMENT\n(REM COMMENT\n) & @rem COMMENT\nremCODE & remCODE\necho rem CODE",
        ),
        ("a.vb", "x = 1 : REM COMMENT\nIf x Then Rem COMMENT\nx.Rem CODE\nremCODE"),
    ]);
}

/// What the test corpora of tree-sitter's grammars found.
#[test]
fn rare_forms_of_strings_and_comments() {
    check(&[
        ("a.java", "x = STR.\"STRING \\{CODE(\"STRING\")} STRING\"; CODE"),
        ("a.rb", "x = %Q#STRING# ; CODE; x = %\\STRING\\; CODE; x = %q\\STRING\\; CODE"),
        ("a.sh", "echo $(a)#CODE `b`#CODE ${c}#CODE; (d)# COMMENT"),
        ("a.sh", "cat <<\\'\nSTRING\n'\nCODE"),
        ("a.php", "<? CODE 'STRING' ?><!-- COMMENT <? CODE ?> --><?xml CODE ?>"),
        ("a.lua", "# COMMENT\nx = #CODE"),
        ("a.nix", "'' STRING ''\\${STRING} ''${STRING} $${STRING} ${CODE} '' \"STRING $${STRING} ${CODE}\""),
        ("a.ps1", "${it's CODE} CODE 'STRING'"),
        ("a.erl", "f() -> \"\"\"\"\n  STRING\n  \"\"\"\n  STRING\n  \"\"\"\". CODE"),
        ("a.erl", "f() -> ~S#STRING#, ~b#STRING#, ~\"\"\"\"\n STRING\n \"\"\"\n \"\"\"\". CODE"),
        ("a.pl", "print <<\\A . << `B`;\nSTRING $x\nA\nSTRING\nB\nCODE"),
        ("a.pl", "q\\STRING\\; qw\\ STRING \\; CODE"),
        ("a.pl", "CODE __END__ COMMENT\nCOMMENT"),
        ("a.pl", "CODE\n\u{4}\nCOMMENT"),
        ("a.pl", "CODE\n\u{1a}\nCOMMENT"),
        ("a.yaml", "\u{feff}# COMMENT\nCODE: 1"),
        ("a.py", "x = ur'STRING'; CODE"),
        ("a.scala", "x = s\"STRING$\"STRING${CODE}\"; y = s\"\"\"$\"STRING\"\"\"; CODE"),
        ("a.ex", "x = ~I18N\"STRING\"; CODE"),
        ("a.jl", "x = m`STRING $(STRING)`; y = `$(CODE)`; CODE"),
        ("a.fish", "echo (echo 1)#CODE; # COMMENT"),
        ("a.pas", "{$if CODE} {COMMENT} (*$I CODE*) (*COMMENT*) CODE"),
        ("a.gd", "x = r'STRING\\' STRING'; CODE"),
        ("a.f90", "#if !defined(CODE) /* it's */\nCODE ! COMMENT"),
    ]);
}
