import { expect, it } from 'vitest';
import { token } from '../../src/cli/token.ts';
import { runCommand } from '../kit/command.ts';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const url = `http://127.0.0.1:${await listen(server.system.app.server)}`;

/** What `parley token` prints. */
const run = (...args: string[]): Promise<string[]> =>
  runCommand(token, ['--url', url, ...args], { PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN });

it('parley token creates one for the only tenant, or for the one that is named', async () => {
  await expect(run()).rejects.toThrow('There is no tenant');
  const first = await server.tenant();
  const [all = '', note] = await run();
  expect(note).toMatch(/valid until 20/);
  expect((await server.call('GET', '/v3/me', { token: all })).body.data.tenant.id).toBe(first.id);

  const second = await server.tenant();
  await expect(run()).rejects.toThrow(`${second.id})`);
  const named = [
    '--tenant',
    second.id,
    '--name',
    'Shop',
    '--scopes',
    'chats:read, files:read',
    '--days',
    '1',
  ];
  const [some = ''] = await run(...named);
  const { data } = (await server.call('GET', '/v3/me', { token: some })).body;
  expect([data.tenant.id, data.scopes]).toEqual([second.id, ['chats:read', 'files:read']]);
});

it('parley token says what is wrong', async () => {
  await expect(run('--tenant', 'nobody')).rejects.toThrow('--tenant');
  await expect(run('--days', 'long')).rejects.toThrow('--days must be a number of days, not "long"');
  await expect(run('extra')).rejects.toThrow('Unexpected argument "extra"');
  expect((await run('--help'))[0]).toContain('parley token');
});
