// Makes the package that others install: JavaScript and declarations in sdk/dist, or in the folder that is given.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const args = [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', dist];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (status !== 0) process.exit(1);
const { private: _, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const exports = { '.': { types: './index.d.ts', default: './index.js' } };
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`);
copyFileSync(join(root, '../LICENSE'), join(dist, 'LICENSE'));
