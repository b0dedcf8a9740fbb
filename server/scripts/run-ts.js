// Runs a TypeScript file: node scripts/run-ts.js bench/main.ts [arguments]. It is bundled to dist/bench-main.js, which
// is as deep as src/, so that what the sources find relative to themselves (migrations, packages) is found from there.
import { rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [entry, ...rest] = process.argv.slice(2);
if (!entry) {
  console.error('usage: node scripts/run-ts.js <file.ts> [arguments]');
  process.exit(2);
}
const built = resolve(root, 'dist', `${entry.replace(/\.ts$/, '').replaceAll(/[^\w.]+/g, '-')}.js`);
const draft = built.replace(/\.js$/, `.${process.pid}.js`);
await build({
  entryPoints: [resolve(root, entry)],
  outfile: draft,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
  logLevel: 'error',
});
await stop();
// Two may run the same file at once: each finds it whole.
await rename(draft, built);
process.setSourceMapsEnabled(true);
process.argv = [process.argv[0], built, ...rest];
await import(pathToFileURL(built).href);
