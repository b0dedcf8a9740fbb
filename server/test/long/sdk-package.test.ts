import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { useTempFolder } from '../kit/temp-folder.ts';

const folder = await useTempFolder();
const build = fileURLToPath(new URL('../../../sdk/scripts/build.js', import.meta.url));
const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

it('the built package works in a project of its own, without TypeScript and under the strictest settings with it', () => {
  const target = join(folder, 'node_modules/@parley/sdk');
  const built = run(build, target);
  expect([built.status, built.stdout, built.stderr]).toEqual([0, '', '']);
  expect(existsSync(join(target, 'LICENSE'))).toBe(true);
  const program = `import { createClient, getMe, ParleyError } from '@parley/sdk';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
getMe(client).catch((error) => console.log(error instanceof ParleyError, error.messageKey));
`;
  writeFileSync(join(folder, 'program.mjs'), program);
  const said = run('program.mjs');
  expect([said.stdout, said.stderr]).toEqual(['true connection_failed\n', '']);

  const typed = `import { createClient, searchChats, type Chat } from '@parley/sdk';
export const open = async (): Promise<Chat[]> => (await searchChats(createClient({ baseUrl: '' }))).items;
`;
  writeFileSync(join(folder, 'typed.mts'), typed);
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const strictest = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit'];
  for (const resolution of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    const args = [...strictest, ...resolution, '--target', 'es2022', '--lib', 'es2022,dom', 'typed.mts'];
    expect(run(compiler, ...args).stdout).toBe('');
  }
});
