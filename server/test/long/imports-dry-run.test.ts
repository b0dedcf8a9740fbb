import { beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

/** A dry run and then the import of the same file: how many rows were what. */
async function countBoth(content: string, options: object = {}) {
  const countOf = async (dryRun: boolean) => {
    const done = await importFile(server, tenant, content, { ...options, dryRun });
    const { created, updated, skipped, failed, issues } = done;
    return { created, updated, skipped, failed, issues };
  };
  return { planned: await countOf(true), done: await countOf(false) };
}

/** More than the two first batches have, so that rows before and after are in different ones. */
const apart = Array.from({ length: 1600 }, (_, index) => `Other,+1444${1_000_000 + index},`).join('\n');
const table = (...parts: string[]): string => `name,phone,email\n${parts.join('\n')}\n`;
const duplicate = (row: number) => ({ row, column: null, reason: 'duplicate_in_file' });
const nameOf = async (phoneNumber: string) =>
  (await tenant.post('/v3/contacts/search', { query: `eq(phoneNumber,"${phoneNumber}")` })).body.data[0]
    ?.fullName;

describe.each(['skip', 'update'])('rows with a handle of an earlier row, onExisting %s', (onExisting) => {
  it('are not applied, in the same batch and in a later one, as the dry run says', async () => {
    await tenant.post('/v3/contacts', { firstName: 'Grace', phoneNumber: '+15550002222' });
    const { planned, done } = await countBoth(
      table(
        'Ada,+15550001111,ada@example.com',
        'Grace,+15550002222,grace@example.com',
        'Ada again,+1 555 000 1111,',
        apart,
        'By address,,ADA@example.com',
        'By both,+15550003333,ada@example.com',
        // A row that is not applied has its handles all the same.
        'By the number of that,+15550003333,',
        'Of one that exists,,grace@example.com',
        'New,+15550004444,',
      ),
      { onExisting },
    );
    const exists = onExisting === 'skip' ? { skipped: 1, updated: 0 } : { skipped: 0, updated: 1 };
    expect(planned).toEqual({
      created: 1602,
      ...exists,
      failed: 5,
      issues: [4, 1605, 1606, 1607, 1608].map(duplicate),
    });
    expect(done).toEqual(planned);
    expect([await nameOf('+15550001111'), await nameOf('+15550003333')]).toEqual(['Ada', undefined]);
  });

  it('are also those after a row with another issue, and with the other spelling of a number', async () => {
    const { planned, done } = await countBoth(
      table('Ana,+5511987654321,', 'Wrong,+15550001111,nope', apart, 'Ana,+551187654321,', 'W,+15550001111,'),
      { onExisting },
    );
    expect(planned).toMatchObject({ created: 1601, failed: 3 });
    expect(planned.issues.slice(1)).toEqual([1604, 1605].map(duplicate));
    expect(done).toEqual(planned);
  });
});

it('are in errors.csv as they are in the file', async () => {
  const done = await importFile(server, tenant, table('Ada,+15550001111,', '"Ada, 2",+1 555 000 1111,'));
  const { text } = await tenant.get(`/v3/imports/${done.id}/errors.csv`);
  expect(text).toBe('row,reason,name,phone,email\r\n3,duplicate_in_file,"Ada, 2",\'+1 555 000 1111,\r\n');
});

it('rows about one contact with different handles are all applied', async () => {
  const body = { firstName: 'Info', phoneNumber: '+15550001111', email: 'info@example.com' };
  const { id } = (await tenant.post('/v3/contacts', body)).body.data;
  const rows = table('First,+15550001111,', apart, 'Last,,info@example.com');
  const { planned, done } = await countBoth(rows, { onExisting: 'update' });
  expect(planned).toMatchObject({ created: 1600, updated: 2, failed: 0 });
  expect(done).toEqual(planned);
  expect((await tenant.get(`/v3/contacts/${id}`)).body.data.firstName).toBe('Last');
});
