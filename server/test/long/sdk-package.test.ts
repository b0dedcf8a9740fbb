import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useTempFolder } from '../kit/temp-folder.ts';

const folder = await useTempFolder();
const build = fileURLToPath(new URL('../../../sdk/scripts/build.js', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const run = promisify(execFile);
/** What a program of Node prints; one that fails rejects. */
const outputOf = async (...args: string[]) => await run(process.execPath, args, { cwd: folder });

const program = `import { createClient, getMe, ParleyError } from '@parley/sdk';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
getMe(client).catch((error) => console.log(error instanceof ParleyError, error.messageKey));
`;
const typed = `import { createClient, searchChats, type Chat } from '@parley/sdk';
export const open = async (): Promise<Chat[]> => (await searchChats(createClient({ baseUrl: '' }))).items;
// @ts-expect-error: the types of the package are known
export const closed = async (): Promise<string> => (await searchChats(createClient({ baseUrl: '' }))).items;
`;

it('the built package works in a project of its own, with and without TypeScript', {
  timeout: 300_000,
}, async () => {
  const target = join(folder, 'node_modules/@parley/sdk');
  expect(await outputOf(build, target)).toEqual({ stdout: '', stderr: '' });
  expect(existsSync(join(target, 'LICENSE'))).toBe(true);
  writeFileSync(join(folder, 'program.mjs'), program);
  expect((await outputOf('program.mjs')).stdout).toBe('true connection_failed\n');
  writeFileSync(join(folder, 'typed.mts'), typed);
  const strictest = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit';
  const options = `${strictest} --module nodenext --target es2022 --lib es2022,dom --skipLibCheck`;
  expect((await outputOf(compiler, ...options.split(' '), 'typed.mts')).stdout).toBe('');
});
