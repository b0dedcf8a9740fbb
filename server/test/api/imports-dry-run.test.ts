import { beforeEach, describe, expect, it } from 'vitest';
import { forgetEndedPreviews } from '../../src/imports/preview.ts';
import { importFile, startImport } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});
const run = (content: string, options: object = {}) => importFile(server, tenant, content, options);

/** A dry run and then the import of the same file: how many rows were what. */
async function countBoth(content: string, options: object = {}) {
  const countOf = async (isDryRun: boolean) => {
    const { created, updated, skipped, failed, issues } = await run(content, { ...options, isDryRun });
    return { created, updated, skipped, failed, issues };
  };
  return { planned: await countOf(true), done: await countOf(false) };
}

describe('a dry run of several batches counts what the import will do', () => {
  /** More than the two first batches have, so that rows before and after are in different ones. */
  const apart = Array.from({ length: 1600 }, (_, index) => `Other,+1444${1_000_000 + index},`).join('\n');
  const table = (...parts: string[]): string => `name,phone,email\n${parts.join('\n')}\n`;

  it('for a contact that occurs in two of them', async () => {
    const { planned, done } = await countBoth(table('Ada,+15550001111,', apart, 'Ada L,+15550001111,'));
    expect(planned).toMatchObject({ created: 1601, updated: 1, failed: 0 });
    expect(planned).toEqual(done);
  });

  it('for a contact that is found by another of its handles, also by one that an earlier batch adds', async () => {
    await tenant.post('/v3/contacts', { firstName: 'Grace', phoneNumber: '+15550002222' });
    const { planned, done } = await countBoth(
      table(
        'Ada,+15550001111,ada@example.com',
        'Grace,+15550002222,grace@example.com',
        apart,
        'Ada,,ada@example.com',
        'Ada,+15550003333,ada@example.com',
        'Grace,,grace@example.com',
        // They are two contacts.
        'Mixed,+15550003333,grace@example.com',
      ),
    );
    expect(planned).toMatchObject({ created: 1601, updated: 4, failed: 1 });
    expect(planned).toEqual(done);
  });

  it('for contacts that stay as they are, and a number in two spellings', async () => {
    const rows = table('Ana,+5511987654321,', apart, 'Ana,+551187654321,', 'Bea,+551187654322,');
    const { planned, done } = await countBoth(rows, { existing: 'skip' });
    expect(planned).toMatchObject({ created: 1602, updated: 0, skipped: 1 });
    expect(planned).toEqual(done);
  });

  it('for a contact that gets too many handles', async () => {
    const rows = (from: number): string =>
      Array.from({ length: 60 }, (_, index) => `Info,+1555000${5000 + from + index},info@example.com`).join(
        '\n',
      );
    const { planned, done } = await countBoth(table(rows(0), apart, rows(60)));
    expect(planned).toMatchObject({ created: 1601, updated: 98, failed: 21 });
    expect(planned).toEqual(done);
  });

  it('and keeps nothing of it, also if it is cancelled', async () => {
    const { db } = server.system;
    const { id } = await run(table('Ada,+15550001111,', apart), { isDryRun: true });
    const kept = async () =>
      (await db.query('select import_id from import_handles where tenant_id = $1', [tenant.id])).rows;
    expect(await kept()).toEqual([]);
    // As if it had been cancelled between two batches; the other one has not ended.
    const other = await startImport(tenant, table('Ada,+15550001111,'), { isDryRun: true });
    for (const importId of [id, other.body.data.id])
      await db.query(
        `insert into import_handles (import_id, tenant_id, type, value, owner_id) values ($1, $2, 'email', 'ada@example.com', $1)`,
        [importId, tenant.id],
      );
    await forgetEndedPreviews(db);
    expect(await kept()).toEqual([{ import_id: other.body.data.id }]);
  });
});
