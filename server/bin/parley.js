#!/usr/bin/env node
// Builds the program when its sources are newer than the build, then runs it in this very process.
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// Names are looked up on libuv's threads; with the default of four, two names that hang would hold up everyone's.
process.env.UV_THREADPOOL_SIZE ??= '16';

// The heap may grow to four times what is in use before all of it is gone through. Left to itself V8 may do so
// earlier, on threads that take the processor from PostgreSQL: a webhook costs 8 % more then (docs/develop/performance.md).
setFlagsFromString('--heap-growing-percent=300');

const root = fileURLToPath(new URL('../', import.meta.url));
const workspace = fileURLToPath(new URL('../../', import.meta.url));
const tools = [
  'automations',
  'campaigns',
  'chats',
  'contacts',
  'listen',
  'login-link',
  'mcp',
  'release',
  'token',
  'trace',
  'trigger',
];
const isTool = tools.includes(process.argv[2]);

/** What is built, from which sources, and by which program. */
const BUILDS = [
  {
    sources: [`${root}src`, `${workspace}sdk/src`],
    manifests: [`${root}package.json`],
    results: ['main', 'cli', 'task-threads'].map((name) => `${root}dist/${name}.js`),
    program: `${root}bin/build.js`,
  },
  {
    sources: [`${workspace}console/src`, `${workspace}sdk/src`],
    manifests: [`${workspace}console/package.json`, `${workspace}console/build.js`],
    results: [`${workspace}console/dist/manifest.json`],
    program: `${workspace}console/build.js`,
  },
];

function modified(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

// Synchronous, and without `recursive`: a thousand files take 20 ms of every start this way, and 100 ms by promises.
function sourcesIn(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {}
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sourcesIn(path);
    return /\.(ts|tsx|css)$/.test(path) ? [path] : [];
  });
}

/** When a source was changed last; 0 if it comes built, without its own sources. */
function newestSource({ sources, manifests }) {
  const found = sources.map(sourcesIn);
  if (found[0].length === 0) return 0;
  return Math.max(...[...manifests, ...found.flat()].map(modified));
}

const isOutdated = (build) => newestSource(build) > Math.min(...build.results.map(modified));

// By another process: one that has built keeps a small heap, which costs a busy server a fifth of its speed.
const run = (program) =>
  new Promise((resolve) =>
    spawn(process.execPath, [program], { stdio: 'inherit' }).once('exit', (code) => resolve(code === 0)),
  );

const wanted = isTool ? BUILDS.slice(0, 1) : BUILDS;
const built = await Promise.all(wanted.filter(isOutdated).map(({ program }) => run(program)));
if (built.includes(false)) process.exit(1);
// Without source maps: they are read when an error first shows its stack, such as that of a connection which has rested
// long enough, and then everything stands still for 0.3 s. Names are kept; lines are those of
// dist/. `node --enable-source-maps server/bin/parley.js` shows the sources' lines.
const { main } = await import(`../dist/${isTool ? 'cli' : 'main'}.js`);
await main(process.argv.slice(2), process.env);
