#!/usr/bin/env node
// Builds the program when its sources are newer than the build, then runs it in this very process.
import { spawnSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Names are looked up on libuv's threads; with the default of four, two names that hang would hold up everyone's.
process.env.UV_THREADPOOL_SIZE ??= '16';

// The heap may grow to four times what is in use before all of it is gone through. Left to itself V8 may do so
// earlier, on threads that take the processor from PostgreSQL: a webhook costs 8 % more then (docs/develop/performance.md).
setFlagsFromString('--heap-growing-percent=300');

const root = fileURLToPath(new URL('../', import.meta.url));
const tools = ['listen', 'login-link', 'release', 'token', 'trigger'];

const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

async function sourcesIn(folder) {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.ts')).map((file) => `${folder}/${file}`);
}

async function newestSource() {
  const files = await Promise.all([`${root}src`, `${root}../sdk/src`].map(sourcesIn));
  const times = await Promise.all([`${root}package.json`, ...files.flat()].map(modified));
  return files[0].length === 0 ? 0 : Math.max(...times);
}

const builds = await Promise.all(
  ['main', 'cli', 'task-threads'].map((name) => modified(`${root}dist/${name}.js`)),
);
if ((await newestSource()) > Math.min(...builds)) {
  // By another process: one that has built keeps a small heap, which costs a busy server a fifth of its speed.
  const { status } = spawnSync(process.execPath, [`${root}bin/build.js`], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
// Without source maps: they are read when an error first shows its stack, such as that of a connection which has rested
// long enough, and then everything stands still for 0.3 s. The build keeps names and lines.
const { main } = await import(`../dist/${tools.includes(process.argv[2]) ? 'cli' : 'main'}.js`);
await main(process.argv.slice(2), process.env);
