import { collectIssues } from '../base/issues.ts';
import { requireChannel } from '../channels/channel.ts';
import { validateTimezone } from '../contacts/validate-contact.ts';
import type { TenantReader } from '../db/tenant.ts';
import { data } from '../http/answer.ts';
import { type Route, read } from '../http/route.ts';
import { HoursQuestion, HoursState } from './schema.ts';
import { readTenantHours } from './tenant-hours.ts';
import { validateHours } from './validate-hours.ts';

/** Whether a channel, or the tenant, is open at a moment, by the stored hours or by others. */
async function describeHours(
  db: TenantReader,
  { channelId, timezone, at, ...given }: HoursQuestion,
): Promise<HoursState> {
  const issues = collectIssues();
  const hours = validateHours(given, issues);
  validateTimezone(timezone, issues);
  issues.throwIfAny();
  const id = channelId === undefined ? null : (await requireChannel(db, channelId)).id;
  const moment = at === undefined ? db.now : new Date(at);
  const stored = await readTenantHours(db, id === null ? { tenant: hours } : { channel: { id, ...hours } });
  const opening = stored.openingOf(id);
  const isOpen = opening.isOpenAt(moment);
  const opensAt = isOpen ? null : opening.nextOpening(moment);
  const closesAt = isOpen ? opening.nextClosing(moment) : null;
  const quietUntil = stored.quietUntil(id, timezone ?? null, moment);
  return {
    at: moment.toISOString(),
    timezone: opening.timezone,
    isOpen,
    opensAt: opensAt?.toISOString() ?? null,
    closesAt: closesAt?.toISOString() ?? null,
    isQuiet: quietUntil !== null,
    quietUntil: quietUntil?.toISOString() ?? null,
  };
}

export function hoursRoutes(): Route[] {
  return [
    read(
      {
        method: 'POST',
        path: '/v3/business_hours/describe',
        operationId: 'describeHours',
        tag: 'Access',
        summary: 'Tell whether it is open',
        description:
          'Whether the tenant or a channel is open at a moment, when that changes, and whether marketing waits. With `businessHours` or `quietHours` it says so for these, without storing them: null are those that would be used without own ones.',
        access: 'tenant:read',
        body: HoursQuestion,
        answer: data(HoursState),
        failures: ['channel_not_found'],
        example: {
          body: { businessHours: { timezone: 'Europe/Berlin', mon: [['09:00', '17:00']] } },
          answer: {
            at: '2026-11-15T01:02:03.456Z',
            timezone: 'Europe/Berlin',
            isOpen: false,
            opensAt: '2026-11-16T08:00:00.000Z',
            closesAt: null,
            isQuiet: false,
            quietUntil: null,
          },
        },
      },
      ({ body }, db) => describeHours(db, body),
    ),
  ];
}
