#!/usr/bin/env COMMENT
// COMMENT "COMMENT" 'COMMENT `COMMENT
/* COMMENT // COMMENT */ const CODE = "STRING \" STRING // STRING" + 'STRING \' STRING' + CODE;
const CODE = "STRING \
STRING" + CODE;
const CODE = `STRING ${CODE + `STRING ${CODE["STRING"]} STRING` + { CODE: "STRING" }} $STRING \${STRING} {STRING}
STRING // STRING` + CODE;
const CODE = /CODE"CODE[/"']CODE\/'/g.test("STRING") / CODE;
if (CODE) /CODE'CODE/.test(CODE); const CODE = (1 + 2) / CODE / 3; // COMMENT
return /"CODE/; CODE = a / 2; /* COMMENT */ CODE = b++ / CODE / 'STRING';
x = [.../"CODE/.exec("STRING")]; x = CODE ? /'CODE/ : /"CODE/; y = [/`CODE/, CODE]; z = !/'CODE/.test(CODE);
const CODE = CODE.return / 2; const CODE = <div className="STRING 'STRING" CODE='STRING' {...CODE}>CODE's {CODE + "STRING"} <b>CODE "CODE" // CODE</b>
  <CODE.CODE CODE={`STRING ${CODE}`} /* COMMENT */ CODE="STRING"/> {/* COMMENT */} <>CODE's</> </div> + "STRING";
const CODE = a <b && c> "STRING"; const CODE = 1 <<CODE; "STRING"; CODE // COMMENT
