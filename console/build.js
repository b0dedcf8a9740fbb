// Builds the console into dist/: hashed files first, then the manifest, which is what the server looks at.
// `node build.js --watch` builds again when a source changes.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { context } from 'esbuild';

const root = fileURLToPath(new URL('./', import.meta.url));
const dist = `${root}dist/`;
const assets = `${dist}assets/`;
const isWatching = process.argv.includes('--watch');
const ENTRY = 'main';

/** 11, the default of brotli, takes 2 s instead of 0.1 s and saves 4 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const ENCODINGS = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gz: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/**
 * `import 'virtual:styles'` imports every stylesheet of the console. esbuild loads the styles of lazy chunks nowhere; all of
 * them in the first file cost less than a second mechanism, and nothing is ever shown without its styles.
 */
const allStyles = {
  name: 'all-styles',
  setup(builder) {
    builder.onResolve({ filter: /^virtual:styles$/ }, ({ path }) => ({ path, namespace: 'styles' }));
    builder.onLoad({ filter: /./, namespace: 'styles' }, async () => {
      const files = (await readdir(`${root}src`, { recursive: true })).filter((file) =>
        file.endsWith('.module.css'),
      );
      // The parts come first, so that a screen can change the look of one.
      const order = (file) => `${file.startsWith('ui/') ? 0 : 1}${file}`;
      const sorted = files
        .map((file) => file.replaceAll('\\', '/'))
        .sort((a, b) => (order(a) < order(b) ? -1 : 1));
      return {
        contents: sorted.map((file) => `import './${file}';`).join('\n'),
        resolveDir: `${root}src`,
        watchFiles: sorted.map((file) => `${root}src/${file}`),
        watchDirs: [`${root}src`],
      };
    });
  },
};

/** Each file appears whole or not at all: two processes may build at once. */
async function writeWhole(path, contents) {
  await writeFile(`${path}.${process.pid}`, contents);
  await rename(`${path}.${process.pid}`, path);
}

const readManifest = async () =>
  JSON.parse(await readFile(`${dist}manifest.json`, 'utf8').catch(() => '{"files":[]}'));

async function store({ outputFiles, metafile }) {
  const outputs = Object.entries(metafile.outputs);
  const isEntry = ([, { entryPoint }]) => entryPoint === `src/${ENTRY}.tsx`;
  const [script, { cssBundle }] = outputs.find(isEntry);
  // The styles of lazy chunks are parts of the first stylesheet.
  const used = outputFiles.filter(({ path }) => !path.endsWith('.css') || path.endsWith(basename(cssBundle)));
  await mkdir(assets, { recursive: true });
  await Promise.all(
    used.map(async ({ path, contents }) => {
      const target = assets + basename(path);
      await writeWhole(target, contents);
      if (extname(path) === '.map') return;
      for (const [ending, compress] of Object.entries(ENCODINGS))
        await writeWhole(`${target}.${ending}`, await compress(contents));
    }),
  );
  const previous = await readManifest();
  const files = used.map(({ path }) => basename(path)).sort();
  /** What the first screen needs: the entry and what it imports at once. */
  const initial = new Set([basename(cssBundle)]);
  const collect = (path) => {
    if (initial.has(basename(path))) return;
    initial.add(basename(path));
    for (const { path: imported, kind } of metafile.outputs[path].imports)
      if (kind === 'import-statement') collect(imported);
  };
  collect(script);
  const manifest = {
    // Changes with every change of the code, because the names of the files do.
    build: basename(script),
    script: basename(script),
    styles: basename(cssBundle),
    preload: [...initial].filter((name) => name.endsWith('.js') && name !== basename(script)),
    files,
  };
  await writeWhole(`${dist}manifest.json`, JSON.stringify(manifest));
  // Tabs that are open may still load chunks of the build before.
  const kept = new Set([...files, ...previous.files]);
  for (const name of await readdir(assets))
    if (!kept.has(name.replace(/\.(br|gz)$/, '')) && !/\.\d+$/.test(name))
      await rm(assets + name, { force: true });
}

const storing = {
  name: 'store',
  setup(builder) {
    builder.onEnd(async (result) => {
      if (result.errors.length > 0) return;
      await store(result);
      if (isWatching) console.log('[console] built');
    });
  },
};

const settings = {
  absWorkingDir: root,
  entryPoints: { [ENTRY]: `src/${ENTRY}.tsx` },
  outdir: relative(root, assets),
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  assetNames: '[name].[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  jsx: 'automatic',
  minify: true,
  // Otherwise the same as in production: `npm start` may serve what `npm run dev` has left.
  sourcemap: isWatching ? 'linked' : false,
  legalComments: 'none',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [allStyles, storing],
  metafile: true,
  write: false,
  logLevel: 'error',
};

try {
  const builder = await context(settings);
  if (isWatching) {
    await builder.watch();
    // With the program that has started it.
    process.stdin.resume().once('end', () => process.exit(0));
  } else {
    await builder.rebuild();
    await builder.dispose();
  }
} catch (error) {
  if (error.code === 'EACCES' || error.code === 'EROFS')
    console.error(
      `parley: The console cannot be written to ${dist} (${error.code}). Run it once as the owner of that folder.`,
    );
  else if (!error.errors) console.error(error);
  process.exit(1);
}
