export const a: any = 1;
let b = c as unknown as string;
function f(x: any, y?: string): void { console.log(x!.y); }
enum E { A, B }
