import { describe, expect, it } from 'vitest';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { deliver, execution, workerDatabase } from '../kit/execution.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const workerDb = workerDatabase(server);
const { db } = server.system;
const steps = [{ id: 'hello', type: 'send_message', parameters: { text: '{{ contact.firstName }}' } }];
const DAY = 86_400_000;
const START = new Date('2026-11-16T09:00:00.000Z');

async function campaignOf(tenant: TestTenant, more: object): Promise<string> {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  const ground = await groundFor(tenant, { steps });
  const made = await tenant.post('/v3/campaigns', {
    ...ground,
    name: 'x',
    scheduledAt: START.toISOString(),
    ...more,
  });
  expect(made.status).toBe(200);
  return made.body.data.id;
}
const read = async (tenant: TestTenant, id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;
const occurrences = async (id: string): Promise<string[]> =>
  (
    await db.query('select distinct occurrence_at from automation_runs where campaign_id = $1 order by 1', [
      id,
    ])
  ).rows.map(({ occurrence_at }) => (occurrence_at as Date).toISOString());
const onDay = (day: number): Date => new Date(START.getTime() + day * DAY);

describe('a campaign that recurs', () => {
  it('serves everybody once an occurrence, and is completed when its rules end', async () => {
    const tenant = await server.tenant();
    const recurrenceRules = ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20261117T090000Z'];
    const id = await campaignOf(tenant, { contacts: testContacts(2), recurrenceRules });
    const { sent, settle } = execution(server, workerDb, tenant);
    for (const [index, day] of [0, 2, 3].entries()) {
      server.clock.set(onDay(day));
      await settle();
      expect(await sent()).toHaveLength(2 * (index + 1));
      // A new occurrence begins with everybody waiting, whatever became of them before.
      expect(await read(tenant, id)).toMatchObject({
        status: 'running',
        recipientCounts: { queued: 2, sent: 0 },
      });
      await deliver(server, id);
      server.clock.advance(1000);
      await settle();
      expect(await read(tenant, id)).toMatchObject({
        status: day === 3 ? 'completed' : 'scheduled',
        nextOccurrenceAt: day === 3 ? null : onDay([2, 0, 3][day] as number).toISOString(),
        recipientCounts: { queued: 0, sent: 2 },
      });
    }
    server.clock.advance(30 * DAY);
    await settle();
    expect(await sent()).toHaveLength(6);
    expect(await occurrences(id)).toEqual([0, 2, 3].map((day) => onDay(day).toISOString()));
    const { rows } = await db.query(
      `select type from events where tenant_id = $1 and type like 'campaign%' order by position`,
      [tenant.id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['campaign.started', 'campaign.completed']);
  });

  it('runs once for all occurrences that were missed, as the last of them, and then goes on', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1), recurrenceRules: ['RRULE:FREQ=DAILY'] });
    const { sent, settle } = execution(server, workerDb, tenant);
    server.clock.set(new Date(onDay(5).getTime() + 3600_000));
    await settle();
    await deliver(server, id);
    server.clock.advance(1000);
    await settle();
    expect(await occurrences(id)).toEqual([onDay(5).toISOString()]);
    expect(await sent()).toHaveLength(1);
    expect(await read(tenant, id)).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: onDay(6).toISOString(),
    });
  });

  it('catches up once when an occurrence took longer than the next was away', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1), recurrenceRules: ['RRULE:FREQ=DAILY'] });
    const { settle } = execution(server, workerDb, tenant);
    server.clock.set(onDay(0));
    await settle();
    server.clock.set(new Date(onDay(3).getTime() + 1000));
    await deliver(server, id);
    await settle();
    await deliver(server, id);
    server.clock.advance(1000);
    await settle();
    expect(await occurrences(id)).toEqual([onDay(0).toISOString(), onDay(3).toISOString()]);
    expect((await read(tenant, id)).nextOccurrenceAt).toBe(onDay(4).toISOString());
  });

  it('is each time for whom its audience matches then, and always for those it names', async () => {
    const tenant = await server.tenant();
    server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
    const make = async (firstName: string, number: string): Promise<string> =>
      (await tenant.post('/v3/contacts', { firstName, phoneNumber: `+1555000${number}` })).body.data.id;
    const ada = await make('Ada', '1111');
    const grace = await make('Grace', '2222');
    const id = await campaignOf(tenant, {
      audience: 'in(firstName,"Ada","Alan")',
      contacts: [{ phoneNumber: '+15550003333', firstName: 'Named' }],
      recurrenceRules: ['RRULE:FREQ=DAILY'],
    });
    const { sent, settle } = execution(server, workerDb, tenant);
    const namesOn = async (day: number): Promise<string[]> => {
      const before = (await sent()).length;
      server.clock.set(onDay(day));
      await settle();
      const names = (await sent()).slice(before).map(({ text }) => text as string);
      expect((await read(tenant, id)).recipientCounts.queued).toBe(names.length);
      await deliver(server, id);
      server.clock.advance(1000);
      await settle();
      expect((await read(tenant, id)).recipientCounts).toMatchObject({ queued: 0, sent: names.length });
      return names.sort();
    };
    expect(await namesOn(0)).toEqual(['Ada', 'Named']);
    await tenant.put(`/v3/contacts/${ada}`, { firstName: 'Augusta' });
    await tenant.put(`/v3/contacts/${grace}`, { firstName: 'Alan' });
    expect(await namesOn(1)).toEqual(['Alan', 'Named']);
    await tenant.put(`/v3/contacts/${ada}`, { firstName: 'Ada' });
    expect(await namesOn(2)).toEqual(['Ada', 'Alan', 'Named']);
  });

  it('begins with the first of its occurrences that is not left out', async () => {
    const tenant = await server.tenant();
    const recurrenceRules = ['RRULE:FREQ=DAILY', 'EXDATE:20261116T090000Z'];
    const id = await campaignOf(tenant, { contacts: testContacts(1), recurrenceRules });
    const { sent, settle } = execution(server, workerDb, tenant);
    server.clock.set(onDay(0));
    await settle();
    expect(await read(tenant, id)).toMatchObject({ status: 'scheduled', startedAt: null });
    server.clock.set(onDay(1));
    await settle();
    expect([(await sent()).length, await occurrences(id)]).toEqual([1, [onDay(1).toISOString()]]);
  });

  it('fails where its automation was switched off between two occurrences', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1), recurrenceRules: ['RRULE:FREQ=DAILY'] });
    const { sent, settle } = execution(server, workerDb, tenant);
    server.clock.set(onDay(0));
    await settle();
    await deliver(server, id);
    const { automationId } = await read(tenant, id);
    await tenant.post(`/v3/automations/${automationId}/status?force=true`, { status: 'inactive' });
    server.clock.set(onDay(1));
    await settle();
    await settle();
    expect(await read(tenant, id)).toMatchObject({
      status: 'failed',
      error: { code: 'automation_not_active', message: 'The automation is inactive' },
      recipientCounts: { sent: 1, queued: 0 },
    });
    expect(await sent()).toHaveLength(1);
  });
});
