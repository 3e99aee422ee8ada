// COMMENT "COMMENT"
/* COMMENT */ auto CODE = R"(STRING " STRING \ STRING
STRING // STRING)" + CODE; // COMMENT
auto CODE = u8R"end(STRING )" STRING )en" STRING)end" CODE;
auto CODE = LR"(STRING)" L"STRING" u"STRING" U"STRING" CODE;
int CODE = 1'000'000 + 0xdead'beef; char CODE = 'S' + '"' + '\'' + u8'S';
auto CODE = "STRING"s + CODE + "STRING"_sv; // COMMENT
auto CODE = CODE"STRING" CODE;
# error CODE isn't CODE // COMMENT
#  define CODE "STRING"
template <class CODE> void CODE() { CODE = '\u{1F600}'; } /* COMMENT " COMMENT */
