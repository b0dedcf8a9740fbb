// Version 2 must be able to end in one commit. This makes that commit in a copy of the checkout: src/v2, its tests and its
// lines go, and what is left must pass the type check and the tests of version 3. Arguments name some of the tests.
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
const KINDS = ['unit', 'api', 'conformance'];
const LEFT_OUT = new Set(['node_modules', '.git', 'dist', 'data']);

const folders = ['server/src/v2', 'server/src/access/v2-usage.ts', 'openapi/v2.json'];
const isTest = (name) => /^(\d+-)?v2-.*\.test\.ts$/.test(name);

/** By file: what goes, each found exactly once. A pair is replaced by its second part. */
const lines = {
  'server/src/app.ts': [
    "import { type V2Usage, v2Usage } from './access/v2-usage.ts';\n",
    "import { v2Document, v2Routes } from './v2/routes.ts';\n",
    "import { v2Version } from './v2/version.ts';\n",
    '  /** The last day of version 2, or `never`. */\n  v2Sunset: string;\n',
    '  /** Writes down what this process has counted; done every few seconds, and before it ends. */\n  flush(): Promise<void>;\n',
    '    usage: V2Usage;\n',
    '    ...v2Routes(needs),\n',
    "  v2: { path: '/openapi-v2.json', document: v2Document(routes) },\n",
    '  const usage = v2Usage(db, clock);\n',
    ['findGate, usage', 'findGate'],
    '      retiring: v2Version({ ...needs, usage }),\n',
    ', flush: usage.flush',
  ],
  'server/src/system.ts': [
    '  /** The last day of version 2, or `never`. */\n  v2Sunset: string;\n',
    'const FLUSH_MS = 5_000;\n',
    '      repeat(FLUSH_MS, app.flush, log),\n',
    "      await app.flush().catch((error) => log.warn({ err: error }, 'the last calls of v2 are not counted'));\n",
  ],
  'server/src/main.ts': [
    "import { v2State } from './v2/version.ts';\n",
    '    v2Sunset: config.PARLEY_V2_SUNSET,\n',
    '        v2: v2State(config.PARLEY_V2_SUNSET, systemClock.real()),\n',
  ],
  'server/src/cli-text.ts': [
    '  /** What has become of version 2. */\n  v2: string;\n',
    [', v2, token', ', token'],
    / {2}API v2 {7}\$\{v2\}\n/,
  ],
  'server/src/base/config.ts': [
    /const lastDay = [\s\S]*?\n};\n/,
    / {2}PARLEY_V2_SUNSET: variable\({[\s\S]*?\n {2}}\),\n/,
  ],
  'server/test/kit/server.ts': ["    v2Sunset: 'never',\n"],
  'server/test/kit/route-calls.ts': [
    / {2}const v2Hook = await [\s\S]*?\n {2}}\);\n/,
    "  made.idsAt['/v2/'] = { webhookId: v2Hook.body.data.id };\n",
  ],
};

function without(text, line, file) {
  const [what, instead] = Array.isArray(line) ? line : [line, ''];
  const found =
    typeof what === 'string' ? text.split(what).length - 1 : (text.match(new RegExp(what, 'g')) ?? []).length;
  if (found !== 1)
    throw new Error(`${file} has this ${found} times, not once; mend scripts/rehearse-v2-end.js:\n${what}`);
  return text.replace(what, () => instead);
}

function remove(path) {
  if (!existsSync(path)) throw new Error(`There is no ${path}; mend scripts/rehearse-v2-end.js`);
  rmSync(path, { recursive: true });
}

function run(cwd, command, ...args) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Without version 2, this fails: ${[command, ...args].join(' ')}`);
}

const copy = mkdtempSync(join(tmpdir(), 'parley-without-v2-'));
try {
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  for (const folder of ['node_modules', 'server/node_modules'])
    if (existsSync(join(root, folder))) symlinkSync(join(root, folder), join(copy, folder));

  for (const folder of folders) remove(join(copy, folder));
  const tests = KINDS.flatMap((kind) =>
    readdirSync(join(copy, 'server/test', kind))
      .filter(isTest)
      .map((name) => join('server/test', kind, name)),
  );
  if (tests.length === 0) throw new Error('Version 2 has no tests');
  for (const test of tests) remove(join(copy, test));
  for (const [file, gone] of Object.entries(lines)) {
    const path = join(copy, file);
    writeFileSync(
      path,
      gone.reduce((text, line) => without(text, line, file), readFileSync(path, 'utf8')),
    );
  }

  run(copy, 'npx', 'tsc', '--noEmit', '--project', 'server/tsconfig.json');
  run(
    join(copy, 'server'),
    'npx',
    'vitest',
    'run',
    ...KINDS.map((kind) => `--project=${kind}`),
    ...process.argv.slice(2),
  );
  console.log('Version 2 can end: the rest does not miss it.');
} finally {
  rmSync(copy, { recursive: true, force: true });
}
