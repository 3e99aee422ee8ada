const fs = require('fs');
import _ from "lodash";
console.log("a", b(1), /* c */ 2);
if (a == null) { eval(a) } else { throw new Error("x"); }
if (a) { if (b) { c() } }
el.innerHTML = value; el.innerHTML += 'x';
foo(x, x); foo(x, y); foo(a.b, a.b);
async function f() { for (const x of y) { await g(x); } await h(); }
const t = <div dangerouslySetInnerHTML={{__html: a}}>{eval(z)}</div>;
debugger;
`${eval(1)} eval(2)`;
