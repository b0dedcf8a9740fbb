import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cleanUp, cleanUpAfterFile, closeFile } from '../../kit/clean-up.ts';
import { useHttpServer } from '../../kit/listeners.ts';
import { useTempFolder } from '../../kit/temp-folder.ts';

describe('clean-up', () => {
  const closed: string[] = [];
  let url = '';
  let folder = '';

  it('waits until the test ends', async () => {
    cleanUp(() => closed.push('first'));
    cleanUp(() => closed.push('second'));
    cleanUpAfterFile(() => closed.push('file'));
    ({ url } = await useHttpServer((_request, response) => void response.end('ok')));
    folder = await useTempFolder();
    expect(await (await fetch(url)).text()).toBe('ok');
    expect([existsSync(folder), closed]).toEqual([true, []]);
  });

  it('closes what a test has started, the last first', async () => {
    expect(closed).toEqual(['second', 'first']);
    expect(existsSync(folder)).toBe(false);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('closes the rest of a file after one failure, and reports it', async () => {
    cleanUpAfterFile(() => {
      throw new Error('not closed');
    });
    await expect(closeFile()).rejects.toThrow('not closed');
    expect(closed).toEqual(['second', 'first', 'file']);
  });
});
