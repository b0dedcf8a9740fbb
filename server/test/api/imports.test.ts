import { beforeEach, describe, expect, it } from 'vitest';
import { contactsByName, importFile, startImport, uploadTable } from '../kit/imports.ts';
import { usePerson } from '../kit/people.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer({ maxFileBytes: 32 * 1024 * 1024 });
const receiver = await useReceiver();
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  receiver.received.length = 0;
});

const run = (content: string | Buffer, options: Parameters<typeof startImport>[2] = {}) =>
  importFile(server, tenant, content, options);
const contactsBy = (query?: string) => contactsByName(tenant, query);
const eventsOf = async (type: string) =>
  (await tenant.post('/v3/events/search', { query: `eq(type,"${type}")`, pagination: { limit: 100 } })).body
    .data;
const create = async (path: string, body: object): Promise<string> =>
  (await tenant.post(path, body)).body.data.id;

describe('an import', () => {
  it('creates a contact for each row, with everything that its columns say', async () => {
    const fair = await create('/v3/labels', { name: 'Fair' });
    const vip = await create('/v3/labels', { name: 'VIP' });
    await create('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    await create('/v3/attributes', { name: 'Seats', externalId: 'seats', type: 'number' });
    const done = await run(
      [
        'Vorname;Nachname;Handy;E-Mail;Sprache;Zeitzone;Subscribed;Labels;attributes.plan;Seats;Notes',
        'Ada;Lovelace;0170 1234567;Ada@Example.com;de;Europe/Berlin;yes;vip;gold;3;x',
        'Grace;;+1 555 000 2222;;;;no;;;;',
        ';;;;;;;;;;',
        '',
      ].join('\r\n'),
      { defaultCountry: 'DE', labelIds: [fair] },
    );
    expect(done).toMatchObject({
      status: 'completed',
      total: 2,
      created: 2,
      updated: 0,
      skipped: 0,
      failed: 0,
      issues: [],
      delimiter: ';',
      encoding: 'utf-8',
      error: null,
      author: { type: 'api' },
    });
    expect(done.mapping).toMatchObject({
      Vorname: 'firstName',
      Handy: 'phoneNumber',
      Seats: 'attributes.seats',
    });
    expect(done.mapping).not.toHaveProperty('Notes');
    const [ada, grace] = await contactsBy();
    expect(ada).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      phoneNumber: '+491701234567',
      email: 'ada@example.com',
      language: 'de',
      timezone: 'Europe/Berlin',
      isSubscribed: true,
      attributes: [
        { externalId: 'plan', value: 'gold' },
        { externalId: 'seats', value: '3' },
      ],
    });
    expect(ada.labels.map(({ id }: { id: string }) => id).sort()).toEqual([fair, vip].sort());
    expect(grace).toMatchObject({ phoneNumber: '+15550002222', email: null, isSubscribed: false });
    expect((await tenant.post('/v3/contacts/search', { search: '491701234567' })).body.data).toHaveLength(1);
    expect((await tenant.get(`/v3/jobs/${done.id}`)).body.data).toMatchObject({
      kind: 'import_contacts',
      status: 'completed',
      done: 2,
      total: 2,
      failed: 0,
    });
  });

  it('updates the contact that has the number or the address, and an empty cell changes nothing', async () => {
    await create('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    const ada = await create('/v3/contacts', {
      firstName: 'Ada',
      lastName: 'Byron',
      phoneNumber: '+15550001111',
      attributes: [{ externalId: 'plan', value: 'gold' }],
    });
    const grace = await create('/v3/contacts', { firstName: 'Grace', email: 'grace@example.com' });
    const done = await run(
      'firstName,lastName,phone,email,plan\n,Lovelace,+15550001111,ada@example.com,\nGrace,,+15550002222,grace@example.com,free\n',
      { onExisting: 'update' },
    );
    expect(done).toMatchObject({ created: 0, updated: 2, failed: 0 });
    expect((await tenant.get(`/v3/contacts/${ada}`)).body.data).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      attributes: [{ value: 'gold' }],
    });
    expect((await tenant.get(`/v3/contacts/${grace}`)).body.data).toMatchObject({
      phoneNumber: '+15550002222',
      attributes: [{ value: 'free' }],
    });
    expect((await tenant.post('/v3/contacts/search', { search: '15550002222' })).body.data).toHaveLength(1);
  });

  it('leaves contacts that exist as they are unless it is asked to update them', async () => {
    const label = await create('/v3/labels', { name: 'Fair' });
    const ada = await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550001111' });
    const done = await run('name,phone\nEve,+15550001111\nGrace,+15550002222\n', {
      labelIds: [label],
    });
    expect(done).toMatchObject({ onExisting: 'skip', created: 1, skipped: 1, failed: 0, total: 2 });
    expect((await tenant.get(`/v3/contacts/${ada}`)).body.data).toMatchObject({
      firstName: 'Ada',
      labels: [],
    });
    expect(await contactsBy('eq(phoneNumber,"+15550002222")')).toMatchObject([{ firstName: 'Grace' }]);
  });

  it('gives a contact at most 100 numbers and addresses', async () => {
    const handles = Array.from({ length: 99 }, (_, index) => ({
      type: 'phone_number',
      value: `+1555000${5000 + index}`,
    }));
    const id = await create('/v3/contacts', { firstName: 'Info', handles });
    const rows = [0, 1, 2].map((index) => `+1555000${5000 + index},info${index}@example.com`);
    const options = { onExisting: 'update' };
    const done = await run(`phone,email\n${rows.join('\n')}\n`, options);
    expect(done).toMatchObject({ created: 0, updated: 1, failed: 2 });
    expect(done.issues[0]).toMatchObject({ row: 3, reason: expect.stringContaining('more than 100') });
    expect((await tenant.get(`/v3/contacts/${id}`)).body.data.handles).toHaveLength(100);
  });

  it('never merges two contacts that exist, and never undoes an opt-out', async () => {
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550001111' });
    await create('/v3/contacts', { firstName: 'Grace', email: 'grace@example.com', isSubscribed: false });
    const done = await run(
      'phone,email,isSubscribed\n+15550001111,grace@example.com,\n,Eve@example.com,false\n',
      { onExisting: 'update' },
    );
    expect(done).toMatchObject({ created: 1, updated: 0, failed: 1 });
    const again = await run('email,isSubscribed\ngrace@example.com,true\n', { onExisting: 'update' });
    expect(again).toMatchObject({ updated: 1, failed: 0 });
    expect(await contactsBy('ne(firstName,null)')).toMatchObject([
      { firstName: 'Ada', email: null },
      { firstName: 'Grace', isSubscribed: false },
    ]);
  });

  it('finds the mobile numbers of Brazil in both spellings', async () => {
    await create('/v3/contacts', { firstName: 'Ana', phoneNumber: '+5511987654321' });
    const ana = await run('phone,name\n+551187654321,Ana Maria\n', { onExisting: 'update' });
    expect(ana).toMatchObject({ created: 0, updated: 1 });
    const both = 'phone,name\n+551187654322,Bea\n+5511987654322,Bea\n';
    expect(await run(both)).toMatchObject({ created: 1, failed: 1 });
  });

  it('names the issues of rows, imports the other rows, and has those with issues as a file', async () => {
    await create('/v3/attributes', { name: 'Seats', externalId: 'seats', type: 'number' });
    const done = await run(
      [
        'Name,Phone,Email,Labels,Seats',
        'Ada,0170 1234567,,,',
        'Grace,+15550002222,nope,,many',
        'Bob,+15550003333,,Nobody,',
        'Eve,,,,',
        'Mallory,+15550004444,,,1,too,many',
        '"Trudy, T",4.91701E+11,,,',
        'Good,+15550005555,,,',
      ].join('\n'),
    );
    expect(done).toMatchObject({ status: 'completed', total: 7, created: 1, failed: 6 });
    expect(done.issues.map(({ row, column }: { row: number; column: string }) => [row, column])).toEqual([
      [2, 'Phone'],
      [3, 'Email'],
      [3, 'Seats'],
      [4, 'Labels'],
      [5, null],
      [6, null],
      [7, 'Phone'],
    ]);
    const job = (await tenant.get(`/v3/jobs/${done.id}`)).body.data;
    expect(job).toMatchObject({ done: 1, failed: 6 });
    expect(job.errors[0]).toContain('Row 2, Phone: ');
    const errors = await tenant.get(`/v3/imports/${done.id}/errors.csv`);
    expect(errors.headers['content-type']).toContain('text/csv');
    const lines = errors.text.split('\r\n');
    expect(lines[0]).toBe('row,reason,Name,Phone,Email,Labels,Seats');
    expect(lines[1]).toMatch(/^2,"Phone: .*",Ada,0170 1234567,,,$/);
    expect(errors.text).toContain('"Trudy, T",4.91701E+11');
    expect(await contactsBy()).toHaveLength(1);
    // The file can be imported again as it is.
    const again = await run(errors.text.replace('0170 1234567', '+491701234567'));
    expect(again).toMatchObject({ total: 6, created: 1, failed: 5 });
    await tenant.delete(`/v3/files/${done.fileId}`);
    const without = await tenant.get(`/v3/imports/${done.id}/errors.csv`);
    expect(without.text).toMatch(/^row,reason\r\n2,/);
  });

  it('changes nothing in a dry run, and says what it would do', async () => {
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550001111' });
    const rows = Array.from({ length: 150 }, (_, index) => `Nobody ${index},nope`);
    const done = await run(`name,phone\nAda,+15550001111\nGrace,+15550002222\n${rows.join('\n')}\n`, {
      dryRun: true,
      onExisting: 'update',
    });
    expect(done).toMatchObject({ status: 'completed', dryRun: true, created: 1, updated: 1, failed: 150 });
    expect(done.issues).toHaveLength(100);
    expect((await tenant.get(`/v3/imports/${done.id}/errors.csv`)).text.split('\r\n')).toHaveLength(152);
    expect(await contactsBy()).toMatchObject([{ firstName: 'Ada', lastName: null }]);
    expect(await eventsOf('contact.updated')).toEqual([]);
  });
});

describe('events of an import', () => {
  const FILE = 'name,phone\nAda,+15550001111\nGrace,+15550002222\n';

  it('are those of contacts that are created or changed, and start no automation', async () => {
    const automation = await create('/v3/automations', {
      name: 'Welcome',
      trigger: { type: 'contact_created' },
      steps: [{ id: 'end', type: 'end' }],
    });
    await tenant.post(`/v3/automations/${automation}/publish`);
    await create('/v3/contacts', { firstName: 'Grace', phoneNumber: '+15550002222' });
    await server.settle();
    await subscribe(tenant, receiver.url, [{}]);
    const label = await create('/v3/labels', { name: 'Fair' });
    await run(FILE.replace('Grace', 'Grace Hopper'), { labelIds: [label], onExisting: 'update' });
    const types = receiver.received.map(({ body }) => body.type).sort();
    expect(types.filter((type) => type !== 'file.created')).toEqual([
      'contact.created',
      'contact.labels_added',
      'contact.updated',
      'job.completed',
    ]);
    const runs = await tenant.post('/v3/automation_runs/search', {});
    expect(runs.body.pagination.total).toBe(1);
  });

  it('show a new contact exactly as it is read', async () => {
    for (const name of ['Zebra', 'Ant', 'Ümlaut, with comma']) await create('/v3/labels', { name });
    for (const [externalId, type] of [
      ['seats', 'number'],
      ['plan', 'text'],
      ['since', 'date'],
      ['active', 'boolean'],
    ])
      await create('/v3/attributes', { name: `The ${externalId}`, externalId, type });
    await run(
      [
        'first name;last name;phone;email;instagram;language;timezone;labels;seats;plan;since;active;subscribed',
        'Ada;Lovelace;+15550001111;Ada@Example.com;ada.l;de-AT;Europe/Vienna;Ant,Zebra;3;gold;2026-01-02;true;',
        'Grace;;+15550002222;;;;;;;;;;',
        ';Ümlaut;;u@example.com;;;;Zebra;0;🙂 "x";;false;',
        'Said;Yes;+15550003333;;;;;;;;;;yes',
        'Said;No;+15550004444;;;;;;;;;;no',
      ].join('\n'),
    );
    const contacts = await contactsBy();
    const events = await eventsOf('contact.created');
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect(contacts).toHaveLength(5);
    expect(events.map(({ data }: { data: object }) => data).sort(byId)).toEqual(contacts.sort(byId));
  });

  it('can be left out', async () => {
    await run(FILE, { publishEvents: false });
    expect(await contactsBy()).toHaveLength(2);
    expect(await eventsOf('contact.created')).toEqual([]);
    expect(await eventsOf('job.completed')).toHaveLength(1);
  });
});

describe('what is asked for', () => {
  it('can be examined before', async () => {
    await create('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    const fileId = await uploadTable(tenant, 'Full name,Mobile number,plan,x\nAda,1,gold,\nGrace,2,,\n');
    const answer = await tenant.post('/v3/imports/examine', { fileId });
    expect(answer.body.data).toEqual({
      encoding: 'utf-8',
      delimiter: ',',
      columns: [
        { name: 'Full name', field: 'fullName', samples: ['Ada', 'Grace'] },
        { name: 'Mobile number', field: 'phoneNumber', samples: ['1', '2'] },
        { name: 'plan', field: 'attributes.plan', samples: ['gold'] },
        { name: 'x', field: null, samples: [] },
      ],
      rows: [
        ['Ada', '1', 'gold', ''],
        ['Grace', '2', '', ''],
      ],
    });
  });

  it('has columns with German names', async () => {
    const fileId = await uploadTable(tenant, 'Familienname;Mobilnummer;Mail-Adresse;Abonniert;Etiketten\n');
    const answer = await tenant.post('/v3/imports/examine', { fileId });
    const { columns } = answer.body.data as { columns: { field: string }[] };
    expect(columns.map(({ field }) => field)).toEqual([
      'lastName',
      'phoneNumber',
      'email',
      'isSubscribed',
      'labels',
    ]);
  });

  it('can be cancelled, and what is done stays', async () => {
    const started = await startImport(tenant, 'name,phone\nAda,+15550001111\n');
    const { id } = started.body.data;
    expect((await tenant.post(`/v3/jobs/${id}/cancel`)).body.data).toMatchObject({ status: 'cancelled' });
    await server.settle();
    expect((await tenant.get(`/v3/imports/${id}`)).body.data).toMatchObject({
      status: 'cancelled',
      created: 0,
      endedAt: expect.any(String),
    });
    expect(await contactsBy()).toEqual([]);
  });

  it('ends if a label or an attribute that it needs is deleted', async () => {
    const label = await create('/v3/labels', { name: 'Fair' });
    const started = await startImport(tenant, 'name,phone\nAda,+15550001111\n', { labelIds: [label] });
    await tenant.delete(`/v3/labels/${label}`);
    await server.settle();
    expect((await tenant.get(`/v3/imports/${started.body.data.id}`)).body.data).toMatchObject({
      status: 'failed',
      error: 'One of the labels was deleted',
      created: 0,
    });
  });

  it('is the tenant’s own, needs its scopes, and has a limit', async () => {
    const started = await startImport(tenant, 'name,phone\nAda,+15550001111\n');
    const { id, fileId } = started.body.data;
    const other = await server.tenant();
    expect((await other.get(`/v3/imports/${id}`)).status).toBe(404);
    expect((await other.get(`/v3/imports/${id}/errors.csv`)).status).toBe(404);
    expect((await other.post('/v3/imports', { fileId, mapping: { phone: 'phoneNumber' } })).status).toBe(400);
    expect((await other.post('/v3/imports/examine', { fileId })).status).toBe(400);
    const token = await tenant.tokenWith(['contacts:write']);
    const refusedFile = await tenant.post(
      '/v3/imports',
      { fileId, mapping: { phone: 'phoneNumber' } },
      { token },
    );
    expect(refusedFile.body.error.invalidParams.fileId.message).toContain('files:read');
    const few = await server.tenant({ limits: { unfinishedJobs: 1 } });
    expect((await startImport(few, 'phone\n+15550001111\n')).status).toBe(200);
    const refused = await startImport(few, 'phone\n+15550001111\n');
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'limit_reached']);
    await server.settle();
    expect((await startImport(few, 'phone\n+15550001111\n')).status).toBe(200);
  });

  it('is seen by a user of some teams only if the user asked for it', async () => {
    const channel = await tenant.channel();
    const agent = await usePerson(server, tenant, 'agent');
    await tenant.post('/v3/teams', { name: 'Team', userIds: [agent.userId], channelIds: [channel.id] });
    await tenant.put(`/v3/users/${agent.userId}`, { access: 'teams' });
    const started = await startImport(tenant, 'name,phone\nAda,+15550001111\n');
    expect((await agent.get(`/v3/imports/${started.body.data.id}`)).status).toBe(404);
    const fileId = await uploadTable(agent, 'name,phone\nGrace,+15550002222\n');
    const own = await agent.post('/v3/imports', { fileId, mapping: { phone: 'phoneNumber' } });
    expect(own.body.data).toMatchObject({ author: { type: 'user', id: agent.userId } });
    const found = await agent.post('/v3/imports/search', {});
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([own.body.data.id]);
  });

  it('is done once for one idempotency key', async () => {
    const fileId = await uploadTable(tenant, 'name,phone\nAda,+15550001111\n');
    const headers = { 'idempotency-key': 'once' };
    const first = await tenant.post(
      '/v3/imports',
      { fileId, mapping: { phone: 'phoneNumber' } },
      { headers },
    );
    const second = await tenant.post(
      '/v3/imports',
      { fileId, mapping: { phone: 'phoneNumber' } },
      { headers },
    );
    expect(second.body.data.id).toBe(first.body.data.id);
  });
});
