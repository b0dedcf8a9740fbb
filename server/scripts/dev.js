// The server for development: `npm run dev [-- arguments of parley]`. Builds and restarts it when a source changes.
// Stack traces show TypeScript files and lines. Production does not read source maps: see bin/parley.js.
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const WATCHED = ['src', 'migrations', '../sdk/src'].map((folder) => join(root, folder)).filter(existsSync);
/** An editor that saves many files, or git, makes many changes at once. */
const SETTLE_MS = 100;

const say = (text) => console.log(`[dev] ${text}`);
const exitOf = (child) => new Promise((resolve) => child.once('exit', resolve));

let server;
let isBusy = false;
let hasChanged = false;
let isStopping = false;

async function build() {
  return (await exitOf(spawn(process.execPath, [join(root, 'bin/build.js')], { stdio: 'inherit' }))) === 0;
}

function start() {
  const args = ['--enable-source-maps', join(root, 'bin/parley.js'), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  server = child;
  child.once('exit', (code, signal) => {
    if (server !== child) return;
    server = undefined;
    if (isStopping) process.exit(code ?? 0);
    say(`the server ended with ${signal ?? code}; it starts again with the next change`);
  });
}

async function stop() {
  const child = server;
  if (!child) return;
  server = undefined;
  const ended = exitOf(child);
  child.kill('SIGTERM');
  await ended;
}

/** Builds first: while there is an error in the sources, the server of before goes on. */
async function rebuild() {
  if (isBusy) {
    hasChanged = true;
    return;
  }
  isBusy = true;
  do {
    hasChanged = false;
    if (!(await build())) say('the build failed; waiting for a change');
    else if (!hasChanged && !isStopping) {
      await stop();
      if (!isStopping) start();
    }
  } while (hasChanged);
  isBusy = false;
}

// The server reads the console's manifest with every page, so that a reload shows the change.
const consoleBuild = spawn(process.execPath, [join(root, '../console/build.js'), '--watch'], {
  // It ends when its input does.
  stdio: ['pipe', 'inherit', 'inherit'],
});

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    isStopping = true;
    consoleBuild.kill(signal);
    if (server) server.kill(signal);
    else process.exit(0);
  });

let timer;
for (const folder of WATCHED)
  watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      say('sources changed');
      void rebuild();
    }, SETTLE_MS);
  });
await rebuild();
