// COMMENT "COMMENT"
/** COMMENT /* COMMENT */ String CODE = "STRING \" STRING // STRING" + CODE + 'S' + '\'' + '"';
String CODE = """
  STRING " "" STRING \""" STRING
  STRING // STRING""" + CODE; // COMMENT
String CODE = "" + CODE + "\\" + CODE / 2;
