// COMMENT "COMMENT"
/* COMMENT /* COMMENT */ COMMENT */ val CODE = "STRING \" STRING ${CODE("STRING ${CODE}")} $STRING \${STRING}" + CODE
val CODE = """STRING \" "" STRING ${CODE + "STRING"} ${'$'}STRING
STRING""" + CODE + """STRING"""" + CODE + 'S' + '\'' + '"' // COMMENT
val CODE = "${CODE.map { "STRING $it" }}" + CODE
