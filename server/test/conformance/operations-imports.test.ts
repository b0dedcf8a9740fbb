import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { dataOf, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const tenant = await server.tenant();
const POLL_MS = 20;

/** Starts an import and waits for its end. */
async function importFile(content: string, body: object) {
  const { id: fileId } = await make.file(tenant, content, 'customers.csv');
  const started = dataOf(await tenant.post('/v3/imports', { fileId, ...body }));
  expect(started).toMatchObject({
    status: 'queued',
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    issues: [],
  });
  for (;;) {
    const data = dataOf(await tenant.get(`/v3/imports/${started.id}`));
    if (!['queued', 'running'].includes(data.status)) return data;
    await delay(POLL_MS);
  }
}
const errorsOf = async (importId: string): Promise<string> => {
  const answer = await fetch(`${server.url}/v3/imports/${importId}/errors.csv`, {
    headers: { authorization: `Bearer ${tenant.token}` },
  });
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv\b/);
  return answer.text();
};

it('POST /imports with every field, and with every option', async () => {
  const label = await make.label(tenant);
  const attribute = await make.attribute(tenant);
  const all = await importFile(
    `First;Last;Phone;Mail;Language;Subscribed;Labels;Size;Crm\nAda;Lovelace;0170 5550001;ada@example.com;de;no;${label.name};38;C-1\n`,
    {
      mapping: {
        First: 'firstName',
        Last: 'lastName',
        Phone: 'phoneNumber',
        Mail: 'email',
        Language: 'language',
        Subscribed: 'isSubscribed',
        Labels: 'labels',
        Size: `attributes.${attribute.externalId}`,
        Crm: 'metadata.crmId',
      },
      defaultCountry: 'DE',
      delimiter: ';',
      encoding: 'utf-8',
      onExisting: 'update',
      labelIds: [label.id],
      triggerAutomations: true,
      dryRun: false,
    },
  );
  expect(all).toMatchObject({
    status: 'completed',
    total: 1,
    created: 1,
    updated: 0,
    skipped: 0,
    failed: 0,
    issues: [],
  });
  const query = 'eq(phoneNumber,"+491705550001")';
  const [contact] = dataOf(await tenant.post('/v3/contacts/search', { query }));
  expect(contact).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    language: 'de',
    isSubscribed: false,
    labels: [{ id: label.id }],
    attributes: [{ externalId: attribute.externalId, value: '38' }],
    metadata: { crmId: 'C-1' },
  });
});

it('POST /imports skips contacts that exist unless onExisting is update', async () => {
  const { id, phoneNumber } = await make.contact(tenant, { firstName: 'Before' });
  const table = `Name,Phone\nAfter,${phoneNumber}\n`;
  const mapping = { Name: 'firstName', Phone: 'phoneNumber' };
  const nameNow = async () => dataOf(await tenant.get(`/v3/contacts/${id}`)).firstName;
  expect(await importFile(table, { mapping })).toMatchObject({ created: 0, updated: 0, skipped: 1 });
  expect(await nameNow()).toBe('Before');
  const planned = await importFile(table, { mapping, onExisting: 'update', dryRun: true });
  expect([planned.updated, await nameNow()]).toEqual([1, 'Before']);
  expect(await importFile(table, { mapping, onExisting: 'update' })).toMatchObject({
    updated: 1,
    skipped: 0,
  });
  expect(await nameNow()).toBe('After');
});

it('GET /imports/{importId}/errors.csv has bad rows and those with a handle of an earlier row', async () => {
  const done = await importFile('Name,Mail\nAda,ada.1@example.com\nBob,nope\nAda 2,ADA.1@example.com\n', {
    mapping: { Name: 'firstName', Mail: 'email' },
  });
  expect(done).toMatchObject({ status: 'completed', total: 3, created: 1, failed: 2 });
  expect(done.issues).toMatchObject([{ row: 3 }, { row: 4, reason: 'duplicate_in_file' }]);
  const [header, ...rows] = (await errorsOf(done.id)).trim().split('\r\n');
  expect(header).toContain('Name,Mail');
  expect(rows[0]).toContain('Bob,nope');
  expect(rows[1]).toContain('duplicate_in_file,Ada 2,ADA.1@example.com');
});

it('POST /imports/search, and POST /imports/{importId}/cancel, which changes none that has ended', async () => {
  const done = await importFile('Mail\nsearched@example.com\n', { mapping: { Mail: 'email' } });
  const found = dataOf(await tenant.post('/v3/imports/search', { query: `eq(id,"${done.id}")` }));
  expect(found).toEqual([done]);
  expect(dataOf(await tenant.post(`/v3/imports/${done.id}/cancel`))).toEqual(done);
  // So many that it has not ended before it is cancelled, on any machine.
  const rows = Array.from({ length: 200_000 }, (_, index) => `c${index}@example.com`).join('\n');
  const { id: fileId } = await make.file(tenant, `Mail\n${rows}\n`, 'many.csv');
  const { id } = dataOf(await tenant.post('/v3/imports', { fileId, mapping: { Mail: 'email' } }));
  expect(dataOf(await tenant.post(`/v3/imports/${id}/cancel`)).status).toBe('cancelled');
  expect(refusalOf(await tenant.post('/v3/imports/unknown/cancel'))).toEqual([404, 'import_not_found']);
});

it('a file of an import is private, and imports need the scopes of contacts', async () => {
  const file = await make.file(tenant, 'Mail\nprivate@example.com\n', 'private.csv');
  const body = { fileId: file.id, mapping: { Mail: 'email' } };
  const token = await tenant.tokenWith(['contacts:read', 'files:read']);
  expect((await tenant.post('/v3/imports', body, { token })).status).toBe(403);
  dataOf(await tenant.post('/v3/imports', body));
  expect((await fetch(file.url)).status).toBe(404);
});
