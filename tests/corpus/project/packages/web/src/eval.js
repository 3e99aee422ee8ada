const run = (code) => eval(code);
const safe = vm.eval(code);
const evaluate = $eval(code);
const other = medieval(code);
window.setTimeout(() => eval
  ("later"), 10);
// phaser:ignore-next-line no-eval
const ignored = eval("1");
const both = eval("2"); console.log(both); // phaser:ignore no-eval, no-console-log
const one = eval("3"); console.log(one); // phaser:ignore no-eval
