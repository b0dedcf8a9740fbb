import { describe, expect, it } from 'vitest';
import { groundFor } from '../kit/campaigns.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

describe('a recurring campaign', () => {
  it('keeps its local time when clocks change, and is shown with its zone', async () => {
    const tenant = await server.tenant({ isTest: true });
    const ground = await groundFor(tenant);
    // Clocks in Berlin change on 28 March 2027.
    const make = async (timezone?: string) =>
      (
        await tenant.post('/v3/campaigns', {
          ...ground,
          name: 'Daily',
          audience: 'eq(firstName,"Ada")',
          scheduledAt: '2027-03-26T08:00:00Z',
          recurrenceRules: ['freq=daily;byhour=9;byminute=0'],
          ...(timezone === undefined ? {} : { timezone }),
        })
      ).body.data;
    const [berlin, utc] = [await make('Europe/Berlin'), await make()];
    expect([berlin.timezone, utc.timezone]).toEqual(['Europe/Berlin', 'UTC']);
    const nextOf = async ({ id }: { id: string }) =>
      (await tenant.get(`/v3/campaigns/${id}`)).body.data.nextOccurrenceAt;
    const seen: unknown[] = [];
    for (const to of ['2027-03-26T12:00:00Z', '2027-03-27T12:00:00Z', '2027-03-28T12:00:00Z']) {
      await tenant.post('/v3/clock/advance', { to });
      seen.push([await nextOf(berlin), await nextOf(utc)]);
    }
    expect(seen).toEqual([
      ['2027-03-27T08:00:00.000Z', '2027-03-27T09:00:00.000Z'],
      ['2027-03-28T07:00:00.000Z', '2027-03-28T09:00:00.000Z'],
      ['2027-03-29T07:00:00.000Z', '2027-03-29T09:00:00.000Z'],
    ]);
  });

  it('with an unknown zone is refused', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const answer = await tenant.post('/v3/campaigns', { ...ground, name: 'x', timezone: 'Europe/Atlantis' });
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(['timezone']);
  });
});
