import { beforeEach, describe, expect, it } from 'vitest';
import { AUDIENCE_START, fixAudience, gatherAudience } from '../../src/contacts/gather-audience.ts';
import type { SegmentFilters } from '../../src/contacts/segment-filters.ts';
import { groundFor } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const LATER = '2026-12-24T09:00:00.000Z';
const HELLO = [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }];
let tenant: TestTenant;
let adaId: string;
let graceId: string;
let segmentId: string;
/** Everybody whose first name begins with an A. */
let segment: string;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  adaId = await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550001111' });
  graceId = await create('/v3/contacts', { firstName: 'Grace', phoneNumber: '+15550002222' });
  segmentId = await segmentOf('startsWith(firstName,"A")');
  segment = `segment("${segmentId}")`;
});

const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.id;
};
const segmentOf = (query: string, name = 'With A') => create('/v3/segments', { name, query });
const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id).sort();

describe('segment("<id>")', () => {
  it('finds its contacts, alone and inside other conditions', async () => {
    const find = async (query: string) =>
      idsOf((await tenant.post('/v3/contacts/search', { query })).body.data);
    expect(await find(segment)).toEqual([adaId]);
    expect(await find(`segment( "${segmentId.toUpperCase()}" )`)).toEqual([adaId]);
    expect(await find(`not(${segment})`)).toEqual([graceId]);
    expect(await find(`or(${segment},eq(firstName,"Grace"))`)).toEqual([adaId, graceId].sort());
    expect(await find(`and(${segment},eq(firstName,"Grace"))`)).toEqual([]);
    await tenant.put(`/v3/segments/${segmentId}`, { query: 'eq(firstName,"Grace")' });
    expect(await find(segment)).toEqual([graceId]);
  });

  it('is for exports, bulk actions and other segments, too', async () => {
    const csv = await tenant.get(`/v3/contacts/export.csv?query=${encodeURIComponent(segment)}`);
    expect(csv.text).toContain(adaId);
    expect(csv.text).not.toContain(graceId);
    const others = await segmentOf(`not(${segment})`, 'Others');
    const { data } = (await tenant.get(`/v3/segments/${others}/count`)).body;
    expect(data).toEqual({ total: 1, totalIsCapped: false });
    const action = { type: 'delete' };
    expect((await tenant.post('/v3/contacts/bulk', { query: segment, action })).status).toBe(200);
    await server.settle();
    expect(idsOf((await tenant.post('/v3/contacts/search', {})).body.data)).toEqual([graceId]);
  });

  it('is the audience of a campaign and of its preview', async () => {
    const body = { ...(await groundFor(tenant, { steps: HELLO })), name: 'Sale', audience: segment };
    const preview = (await tenant.post('/v3/campaigns/preview', body)).body.data;
    expect(preview).toMatchObject({ matched: 1, sendable: 1, samples: [{ contactId: adaId }] });
    const id = await create('/v3/campaigns', body);
    await server.settle();
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data.audience).toBe(segment);
    const sent = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(sent.map(({ contactId }: { contactId: string }) => contactId)).toEqual([adaId]);
  });

  it('is the audience of an automation that runs at times', async () => {
    const trigger = (audience: string) => ({
      type: 'schedule',
      parameters: { rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0', audience },
    });
    const { id: channelId } = await tenant.channel('sms');
    const steps = [{ ...HELLO[0], parameters: { text: 'Hello', channelId } }];
    const refused = await tenant.post('/v3/automations', {
      name: 'Daily',
      trigger: trigger(`segment("${UNKNOWN}")`),
      steps,
    });
    expect([refused.status, Object.keys(refused.body.error.invalidParams)]).toEqual([
      400,
      ['trigger.parameters.audience'],
    ]);
    const id = await create('/v3/automations', { name: 'Daily', trigger: trigger(segment), steps });
    expect((await tenant.post(`/v3/automations/${id}/publish`)).status).toBe(200);
    server.clock.set(new Date('2026-11-15T09:00:01.000Z'));
    await server.settle();
    const sent = (await tenant.post('/v3/messages/search', {})).body.data;
    expect(sent.map(({ contactId }: { contactId: string }) => contactId)).toEqual([adaId]);
    expect((await tenant.delete(`/v3/segments/${segmentId}`)).status).toBe(409);
  });

  it('is refused at its parameter for a segment that does not exist, or where there are no contacts', async () => {
    const other = await server.tenant();
    const foreign = (await other.post('/v3/segments', { name: 'Theirs', query: 'eq(isSubscribed,true)' }))
      .body.data.id;
    const ground = await groundFor(tenant);
    for (const id of [UNKNOWN, foreign, 'x']) {
      const unknown = `and(segment("${id}"),eq(isSubscribed,true))`;
      for (const [path, body, parameter] of [
        ['/v3/contacts/search', { query: unknown }, 'query'],
        ['/v3/contacts/bulk', { query: unknown, action: { type: 'delete' } }, 'query'],
        ['/v3/segments', { name: 'Two', query: unknown }, 'query'],
        ['/v3/campaigns', { ...ground, name: 'Sale', audience: unknown }, 'audience'],
        ['/v3/campaigns/preview', { ...ground, audience: unknown }, 'audience'],
      ] as const) {
        const { status, body: answer } = await tenant.post(path, body);
        expect([path, status, Object.keys(answer.error.invalidParams ?? {})]).toEqual([
          path,
          400,
          [parameter],
        ]);
        expect(answer.error.invalidParams[parameter].message).toContain('There is no segment');
      }
    }
    const chats = await tenant.post('/v3/chats/search', { query: segment });
    expect([chats.status, Object.keys(chats.body.error.invalidParams)]).toEqual([400, ['query']]);
  });

  it('makes no circles', async () => {
    const second = await segmentOf(segment, 'Second');
    const third = await segmentOf(`segment("${second}")`, 'Third');
    for (const id of [segmentId, second, third]) {
      const answer = await tenant.put(`/v3/segments/${segmentId}`, { query: `not(segment("${id}"))` });
      expect([answer.status, answer.body.error.invalidParams.query.message]).toEqual([
        400,
        expect.stringContaining('must not contain itself'),
      ]);
    }
    expect((await tenant.put(`/v3/segments/${segmentId}`, { query: 'eq(firstName,"Ada")' })).status).toBe(
      200,
    );
  });

  it('keeps its segment from being deleted while a campaign or another segment has it', async () => {
    const remove = async (query = '') => (await tenant.delete(`/v3/segments/${segmentId}${query}`)).status;
    const ground = await groundFor(tenant);
    const audience = `and(eq(isSubscribed,true),${segment})`;
    const planned = await create('/v3/campaigns', {
      ...ground,
      name: 'Planned',
      audience,
      scheduledAt: LATER,
    });
    const refused = await tenant.delete(`/v3/segments/${segmentId}`);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining('campaign "Planned"'),
    ]);
    expect((await tenant.put(`/v3/campaigns/${planned}`, { scheduledAt: null })).body.data.status).toBe(
      'draft',
    );
    expect(await remove()).toBe(409);
    await tenant.delete(`/v3/campaigns/${planned}`);
    const other = await segmentOf(segment, 'Other');
    expect(await remove()).toBe(409);
    expect(await remove('?force=true')).toBe(200);
    const gone = await tenant.get(`/v3/segments/${other}/count`);
    expect([gone.status, gone.body.error.message]).toEqual([409, expect.stringContaining('no segment')]);
    const campaign = { ...ground, name: 'Late', segmentId: other };
    expect((await tenant.post('/v3/campaigns', campaign)).status).toBe(400);
  });

  it('is not changed to a filter with which another one is no longer valid', async () => {
    const nested = (levels: number) => `${'not('.repeat(levels)}isNull(firstName)${')'.repeat(levels)}`;
    const texts = (n: number) => `and(${Array.from({ length: n }, (_, i) => `contains(firstName,"${i}")`)})`;
    const change = async (query: string) => {
      const { status, body } = await tenant.put(`/v3/segments/${segmentId}`, { query });
      return status === 200 ? 'changed' : body.error.invalidParams.query.message;
    };
    const ground = await groundFor(tenant, { steps: HELLO });
    const audience = `and(or(segment("${segmentId.toUpperCase()}")))`;
    await create('/v3/campaigns', { ...ground, name: 'Sale', audience, scheduledAt: LATER });
    expect(await change(nested(18))).toContain('campaign "Sale" would no longer be valid: In segment');
    expect(await change(nested(15))).toBe('changed');
    const second = await segmentOf(`and(${segment},${texts(15)})`, 'Second');
    await segmentOf(`not(segment("${second}"))`, 'Third');
    expect(await change(texts(15))).toContain('segment "Second" would no longer be valid');
    expect(await change(texts(3))).toBe('changed');
    // One that is not valid anyway is nobody's obstacle.
    await tenant.delete(`/v3/segments/${second}?force=true`);
    expect(await change(texts(15))).toBe('changed');
  });

  it('counts with all of its conditions: a filter has at most 300, with those of its segments', async () => {
    const of = (count: number) =>
      `or(${Array.from({ length: count }, (_, i) => `eq(email,"${i}@x.y")`).join(',')})`;
    const half = await segmentOf(of(150), 'Half');
    const two = `or(segment("${half}"),segment("${half}"))`;
    expect((await tenant.post('/v3/contacts/search', { query: two })).status).toBe(200);
    const ground = await groundFor(tenant, { steps: HELLO });
    const tooMany = `or(${two},eq(firstName,"Ada"))`;
    for (const [path, body, parameter] of [
      ['/v3/contacts/search', { query: tooMany }, 'query'],
      ['/v3/segments', { name: 'Two', query: tooMany }, 'query'],
      ['/v3/campaigns', { ...ground, name: 'Sale', audience: tooMany }, 'audience'],
    ] as const) {
      const { status, body: answer } = await tenant.post(path, body);
      expect([path, status, answer.error?.invalidParams?.[parameter]?.message]).toEqual([
        path,
        400,
        expect.stringContaining('More than 300 conditions, with those of its segments'),
      ]);
    }
    await create('/v3/campaigns', { ...ground, name: 'Sale', audience: two, scheduledAt: LATER });
    const changed = await tenant.put(`/v3/segments/${half}`, { query: of(151) });
    expect([changed.status, changed.body.error?.invalidParams.query.message]).toEqual([
      400,
      expect.stringContaining('The campaign "Sale" would no longer be valid: More than 300 conditions'),
    ]);
  });

  it('is not changed while more than 200 different filters name it', async () => {
    const change = (query: string) => tenant.put(`/v3/segments/${segmentId}`, { query });
    const named = (numbers: number[], query: (number: number) => string) =>
      Promise.all(numbers.map((number) => segmentOf(query(number), `Of ${query(number)} ${number}`)));
    const numbers = Array.from({ length: 199 }, (_, number) => number);
    await named(numbers, (number) => `and(${segment},eq(firstName,"${number}"))`);
    // However many have the same filter, or the filter of a segment that has it.
    const [same] = await named([1, 2, 3], () => segment);
    expect((await change('eq(firstName,"Ada")')).status).toBe(200);
    await segmentOf(`not(segment("${same}"))`, 'Not');
    const refused = await change('eq(firstName,"Grace")');
    expect([refused.status, refused.body.error?.invalidParams.query.message]).toEqual([
      400,
      expect.stringContaining('More than 200 filters name this segment'),
    ]);
    expect((await tenant.put(`/v3/segments/${segmentId}`, { name: 'Renamed' })).status).toBe(200);
  });

  it('makes no circles when two are changed at once', async () => {
    const other = await segmentOf('isNull(lastName)', 'Other');
    const answers = await Promise.all([
      tenant.put(`/v3/segments/${segmentId}`, { query: `segment("${other}")` }),
      tenant.put(`/v3/segments/${other}`, { query: segment }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await tenant.post('/v3/contacts/search', { query: segment })).status).toBe(200);
  });

  it('is as it was when its audience began to be gathered', async () => {
    const db = server.system.db.forTenant(tenant.id);
    const now = server.clock.now();
    const gathered = await db.transaction(async (tx) => {
      const fixed = await fixAudience(tx, `not(${segment})`, null);
      return { fixed, ids: (await gatherAudience(tx, fixed, AUDIENCE_START, now)).contactIds };
    });
    expect(gathered.ids).toEqual([graceId]);
    await tenant.put(`/v3/segments/${segmentId}`, { query: 'eq(firstName,"Grace")' });
    const later = async (stored: SegmentFilters | null) =>
      db.transaction(async (tx) => {
        const fixed = await fixAudience(tx, `not(${segment})`, stored);
        return (await gatherAudience(tx, fixed, AUDIENCE_START, now)).contactIds;
      });
    expect(await later(gathered.fixed.segmentFilters)).toEqual([graceId]);
    expect(await later(null)).toEqual([adaId]);
  });
});
