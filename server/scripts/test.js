// `npm test` runs the fast suites, `npm test -- path…` only some files, of whichever suite they are.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../', import.meta.url));
/** Suites with an npm script of their own, each in the folder of its name. */
const SLOW = ['long', 'embedded', 'e2e', 'faults'];
/** Where npm was called, which paths are relative to. */
const from = process.env.INIT_CWD ?? process.cwd();

const [script, ...args] = process.argv.slice(2);
/** By script of server/package.json: the files to run. */
const files = new Map();
const options = [];
for (const arg of args) {
  const path = resolve(from, arg);
  if (arg.startsWith('-') || !existsSync(path)) options.push(arg);
  else {
    const inServer = relative(server, path);
    const suite = SLOW.find((name) => inServer.startsWith(`test/${name}/`));
    const name = suite === undefined || script !== 'test' ? script : `test:${suite}`;
    files.set(name, [...(files.get(name) ?? []), inServer]);
  }
}
if (files.size === 0) files.set(script, []);

let code = 0;
for (const [name, paths] of files) {
  const all = ['run', '--silent', name, '--workspace', 'server', '--', ...paths, ...options];
  const { status } = spawnSync('npm', all, { cwd: resolve(server, '..'), stdio: 'inherit' });
  code ||= status ?? 1;
}
process.exitCode = code;
