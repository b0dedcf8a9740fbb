// Rehearses the end of version 2 in a copy of the checkout: deletes its folder, its OpenAPI document, its tests and its
// entry in app.ts. What is left must pass the type check and the tests of version 3. Arguments choose some of the tests.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PROJECTS = ['unit', 'api', 'conformance', 'long'];
const NOT_COPIED = new Set(['node_modules', '.git', 'dist', 'data']);
const DELETED = ['server/src/v2', 'openapi/v2.json'];
const APP = 'server/src/app.ts';

const isTestOfV2 = (path) => /(^|\/)(\d+-)?v2-[^/]*\.test\.ts$/.test(path) || path.startsWith('unit/v2/');

function run(cwd, command, ...args) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Without version 2 this fails: ${[command, ...args].join(' ')}`);
}

/** Removes what matches, which must be there exactly once. */
function removeOnce(text, pattern, what) {
  const count = text.match(new RegExp(pattern, 'g'))?.length ?? 0;
  if (count !== 1) throw new Error(`${APP} has ${what} ${count} times, not once`);
  return text.replace(new RegExp(pattern), '');
}

const copy = mkdtempSync(join(tmpdir(), 'parley-without-v2-'));
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  for (const folder of ['node_modules', 'server/node_modules'])
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(copy, folder));

  for (const path of DELETED) rmSync(join(copy, path), { recursive: true });
  const tests = readdirSync(join(copy, 'server/test'), { recursive: true }).filter(isTestOfV2);
  if (tests.length === 0) throw new Error('Version 2 has no tests');
  for (const test of tests) rmSync(join(copy, 'server/test', test));
  const app = readFileSync(join(copy, APP), 'utf8');
  const withoutImport = removeOnce(app, /import \{ v2Api \} from '[^']*';\n/, 'the import of v2Api');
  writeFileSync(join(copy, APP), removeOnce(withoutImport, /, v2Api(?=\])/, 'the entry v2Api'));

  run(copy, 'npx', 'tsc', '--noEmit', '--project', 'server/tsconfig.json');
  const projects = PROJECTS.map((name) => `--project=${name}`);
  run(join(copy, 'server'), 'npx', 'vitest', 'run', ...projects, ...process.argv.slice(2));
  console.log('Version 2 can end: the rest passes without it.');
} finally {
  rmSync(copy, { recursive: true, force: true });
}
