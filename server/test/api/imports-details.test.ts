import { beforeEach, describe, expect, it } from 'vitest';
import { removeImportedFiles } from '../../src/files/imported-files.ts';
import { removeExpired } from '../../src/housekeeping.ts';
import { upload } from '../kit/files.ts';
import { contactsByName, endOfImport, importFile, startImport, uploadTable } from '../kit/imports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});
const create = async (path: string, body: object): Promise<string> =>
  (await tenant.post(path, body)).body.data.id;

describe('metadata', () => {
  const mapping = { phone: 'phoneNumber', id: 'metadata.crmId', tier: 'metadata.tier' };
  const table = (...rows: string[]): string => `phone,id,tier\n${rows.join('\n')}\n`;

  it('is stored with a new contact, and added to what a contact has', async () => {
    const metadata = { tier: 'silver', crm: { id: 7 } };
    const ada = await create('/v3/contacts', { phoneNumber: '+15550001111', metadata });
    const content = table('+15550001111,A-1,gold', '+15550002222,007,', '+15550003333,,');
    const done = await importFile(server, tenant, content, { mapping, onExisting: 'update' });
    expect(done).toMatchObject({ created: 2, updated: 1, failed: 0, mapping });
    expect((await tenant.get(`/v3/contacts/${ada}`)).body.data.metadata).toEqual({
      crmId: 'A-1',
      tier: 'gold',
      crm: { id: 7 },
    });
    const contacts = await contactsByName(tenant);
    const byNumber = new Map(
      contacts.map((one: { phoneNumber: string; metadata: object }) => [one.phoneNumber, one.metadata]),
    );
    expect(byNumber.get('+15550002222')).toEqual({ crmId: '007' });
    expect(byNumber.get('+15550003333')).toEqual({});
    const events = await tenant.post('/v3/events/search', { query: 'eq(type,"contact.created")' });
    const shown = events.body.data.map(({ data }: { data: { metadata: object } }) => data.metadata);
    expect(shown).toEqual(expect.arrayContaining([{ crmId: '007' }, {}]));
  });

  it('that is too long for the contact is an issue of the row', async () => {
    await create('/v3/contacts', { phoneNumber: '+15550001111', metadata: { note: 'x'.repeat(16_000) } });
    const content = table(`+15550001111,${'y'.repeat(500)},`, `+15550002222,${'y'.repeat(17_000)},`);
    const done = await importFile(server, tenant, content, { mapping, onExisting: 'update' });
    expect(done).toMatchObject({ created: 0, updated: 0, failed: 2 });
    expect(done.issues[0].reason).toContain('16384 characters of metadata');
  });
});

describe('automations', () => {
  const automation = async (trigger: object): Promise<string> => {
    const id = await create('/v3/automations', {
      name: 'Welcome',
      trigger,
      steps: [{ id: 'end', type: 'end', parameters: {} }],
    });
    await tenant.post(`/v3/automations/${id}/publish`);
    return id;
  };
  const countRuns = async (automationId: string): Promise<number> => {
    const query = `eq(automationId,"${automationId}")`;
    return (await tenant.post('/v3/automation_runs/search', { query })).body.pagination.total;
  };

  it.each([
    [{}, [0, 0]],
    [{ triggerAutomations: false }, [0, 0]],
    [{ triggerAutomations: true }, [2, 3]],
    [{ triggerAutomations: true, dryRun: true }, [0, 0]],
  ])('start only if they are asked for: %j', async (options, [created, labelled]) => {
    const label = await create('/v3/labels', { name: 'Fair' });
    await create('/v3/contacts', { firstName: 'Grace', phoneNumber: '+15550002222' });
    await server.settle();
    const ofNew = await automation({ type: 'contact_created', parameters: {} });
    const ofLabel = await automation({ type: 'label_added', parameters: { labelId: label } });
    const content = 'phone,subscribed\n+15550001111,\n+15550002222,\n+15550003333,no\n';
    const done = await importFile(server, tenant, content, {
      labelIds: [label],
      onExisting: 'update',
      ...options,
    });
    await server.settle();
    expect(done).toMatchObject({
      created: 2,
      updated: 1,
      triggerAutomations: (options as { triggerAutomations?: boolean }).triggerAutomations === true,
    });
    expect([await countRuns(ofNew), await countRuns(ofLabel)]).toEqual([created, labelled]);
  });
});

describe('cancelling', () => {
  const TABLE = 'name,phone\nAda,+15550001111\n';

  it('ends an import before its end, and changes none that has ended', async () => {
    const { id } = (await startImport(tenant, TABLE)).body.data;
    const cancelled = await tenant.post(`/v3/imports/${id}/cancel`);
    expect([cancelled.status, cancelled.body.data]).toMatchObject([
      200,
      { id, status: 'cancelled', created: 0 },
    ]);
    await server.settle();
    expect(await contactsByName(tenant)).toEqual([]);
    const done = await importFile(server, tenant, TABLE);
    const answer = await tenant.post(`/v3/imports/${done.id}/cancel`);
    expect(answer.body.data).toEqual(done);
  });

  it('needs the scope of imports, and an import of the tenant', async () => {
    const started = await startImport(tenant, TABLE);
    const path = `/v3/imports/${started.body.data.id}/cancel`;
    const token = await tenant.tokenWith(['contacts:read']);
    expect((await tenant.post(path, undefined, { token })).status).toBe(403);
    const other = await server.tenant();
    expect((await other.post(path)).body.error.messageKey).toBe('import_not_found');
    expect(await endOfImport(server, tenant, started)).toMatchObject({ status: 'completed', created: 1 });
  });
});

describe('the file of an import', () => {
  const TABLE = 'name,phone\nAda,+15550001111\n';
  const DAY_MS = 24 * 3600_000;
  const mapping = { phone: 'phoneNumber' };
  const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);
  const clean = async (days: number): Promise<void> => {
    await removeImportedFiles(server.system.db, inDays(days), LOG);
    await server.settle();
  };
  const failed: object[] = [];
  const LOG = { info() {}, error: (line: object) => failed.push(line) };
  const statusOf = async (fileId: string): Promise<number> =>
    (await tenant.get(`/v3/files/${fileId}/content`)).status;

  /** A public file, with what answers at its permanent URL. */
  const publicFile = async () => {
    const { id, url } = (await upload(tenant, TABLE, 'table.csv')).body.data;
    const { pathname } = new URL(url);
    return { fileId: id as string, download: async () => (await tenant.get(pathname)).status };
  };
  const isPrivate = async (fileId: string): Promise<boolean> =>
    (await tenant.get(`/v3/files/${fileId}`)).body.data.isPrivate;

  it('is made private', async () => {
    const { fileId, download } = await publicFile();
    expect(await download()).toBe(200);
    await endOfImport(server, tenant, await tenant.post('/v3/imports', { fileId, mapping }));
    expect([await download(), await isPrivate(fileId)]).toEqual([404, true]);
    await clean(8);
    expect(await statusOf(fileId)).toBe(404);
  });

  it('stays public in a dry run, and is kept', async () => {
    const { fileId, download } = await publicFile();
    const started = await tenant.post('/v3/imports', { fileId, mapping, dryRun: true });
    expect(await endOfImport(server, tenant, started)).toMatchObject({ status: 'completed', created: 1 });
    await clean(8);
    expect([await download(), await isPrivate(fileId)]).toEqual([200, false]);
  });

  it('stays public if something else uses it, and is kept also when that is deleted', async () => {
    const { fileId, download } = await publicFile();
    const reply = await create('/v3/saved_replies', {
      shortcut: 'list',
      text: 'Our list',
      media: [{ fileId }],
    });
    await endOfImport(server, tenant, await tenant.post('/v3/imports', { fileId, mapping }));
    await tenant.delete(`/v3/saved_replies/${reply}`);
    await clean(8);
    expect([await download(), await isPrivate(fileId)]).toEqual([200, false]);
  });

  it('loses its permanent URL only with files:write', async () => {
    const { fileId, download } = await publicFile();
    const token = await tenant.tokenWith(['contacts:write', 'files:read']);
    const refused = await tenant.post('/v3/imports', { fileId, mapping }, { token });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('files:write')]);
    expect((await tenant.post('/v3/imports', { fileId, mapping, dryRun: true }, { token })).status).toBe(200);
    expect(await download()).toBe(200);
    const ofPrivate = await uploadTable(tenant, TABLE);
    expect((await tenant.post('/v3/imports', { fileId: ofPrivate, mapping }, { token })).status).toBe(200);
  });

  it('is deleted before the import is forgotten, also after a month without a server', async () => {
    const { id, fileId } = await importFile(server, tenant, TABLE);
    await removeExpired(server.system.db, inDays(31), { retentionDays: 365 }, LOG);
    await server.settle();
    expect([await statusOf(fileId), (await tenant.get(`/v3/imports/${id}`)).status]).toEqual([404, 404]);
  });

  it('is deleted seven days after its last import has ended', async () => {
    const { id, fileId } = await importFile(server, tenant, TABLE, { dryRun: true });
    await clean(6.9);
    expect(await statusOf(fileId)).toBe(200);
    const later = await tenant.post('/v3/imports', { fileId, mapping });
    await clean(7.1);
    expect(await statusOf(fileId)).toBe(200);
    await endOfImport(server, tenant, later);
    await clean(7.1);
    expect(await statusOf(fileId)).toBe(404);
    expect((await tenant.get(`/v3/imports/${id}`)).body.data.status).toBe('completed');
    await clean(8);
  });

  it('does not keep other files if it cannot be deleted', async () => {
    const first = await importFile(server, tenant, TABLE);
    const second = await importFile(server, tenant, TABLE, { dryRun: true });
    const { db } = server.system;
    await db.query(
      `create function refuse() returns trigger as $$ begin raise 'refused'; end $$ language plpgsql`,
      [],
    );
    await db.query(
      `create trigger refuse before delete on files for each row when (old.id = '${first.fileId}') execute function refuse()`,
      [],
    );
    try {
      await clean(8);
    } finally {
      await db.query('drop function refuse cascade', []);
    }
    expect(failed).toEqual([{ err: expect.any(Error), tenantId: tenant.id, fileId: first.fileId }]);
    expect([await statusOf(first.fileId), await statusOf(second.fileId)]).toEqual([200, 404]);
    await clean(8);
    expect(await statusOf(first.fileId)).toBe(404);
  });

  it('is kept if something else uses it', async () => {
    const { fileId } = await importFile(server, tenant, TABLE);
    await create('/v3/saved_replies', { shortcut: 'list', text: 'Our list', media: [{ fileId }] });
    await clean(30);
    expect(await statusOf(fileId)).toBe(200);
  });
});
