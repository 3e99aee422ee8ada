// COMMENT "COMMENT"
/// <summary>COMMENT</summary>
/* COMMENT /* COMMENT */ CODE();
#region CODE isn't a string // COMMENT
#endregion
var CODE = "STRING \" STRING" + 'S' + '\'' + '"' + CODE;
var CODE = @"STRING \" + CODE + @"STRING "" STRING
STRING // STRING" + CODE;
var CODE = $"STRING {CODE} STRING {{STRING}} {CODE["STRING"]} {CODE:'CODE'} {(CODE ? "STRING" : CODE),5:CODE}" + CODE;
var CODE = $@"STRING \{CODE} "" STRING
STRING {$"STRING {CODE} STRING"} STRING" + CODE + @$"STRING {CODE} \" + CODE;
var CODE = """
  STRING " STRING "" STRING {STRING}
  """ + CODE;
var CODE = """"STRING """ STRING"""" + CODE;
var CODE = $"""STRING "{CODE}" STRING""" + CODE + $$"""STRING {STRING} {{CODE}} STRING""" + CODE;
var CODE = "STRING"u8 + CODE; // COMMENT
