import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareFolder } from '../../src/data-folder.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

it('X17: the data folder is created so that only its owner can see what is in it', async () => {
  const parent = await useTempFolder();
  const path = join(parent, 'new', 'data');
  await prepareFolder(path, { hasDatabase: false });
  expect(await modeOf(path)).toBe(0o700);
  const embedded = join(parent, 'embedded');
  await prepareFolder(embedded, { hasDatabase: true, isRoot: false });
  expect(await modeOf(embedded)).toBe(0o700);
});

it('X17: an existing data folder is closed to others', async () => {
  const path = join(await useTempFolder(), 'data');
  await mkdir(path);
  await chmod(path, 0o755);
  await prepareFolder(path, { hasDatabase: true, isRoot: false });
  expect(await modeOf(path)).toBe(0o700);
});

it('X17: a data folder of root can be entered by the user of its database, but not listed', async () => {
  const path = join(await useTempFolder(), 'data');
  await mkdir(path);
  await chmod(path, 0o777);
  await prepareFolder(path, { hasDatabase: true, isRoot: true });
  expect(await modeOf(path)).toBe(0o711);
});
