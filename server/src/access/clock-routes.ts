import { call, data, type Route } from '../http/route.ts';
import { type AdvanceDeps, advanceClock, LONGEST_DAYS } from './advance-clock.ts';
import { ClockAdvance, TestClock } from './schema.ts';

/** The clock of test tenants. */
export function clockRoutes(deps: AdvanceDeps): Route[] {
  return [
    call(
      {
        method: 'POST',
        path: '/v3/clock/advance',
        operationId: 'advanceClock',
        tag: 'Test clock',
        summary: 'Move the clock of a test tenant',
        description: `Moves the clock on to a time (\`to\`) or by a duration (\`by\`), at most ${LONGEST_DAYS} days in one call. Whatever is due by then happens in its order – waits and schedules of automations, campaigns, the ends of snoozes, messages with a time, retries of webhook deliveries, what the sandbox tells and decides – and has happened when this is answered. Between two calls the clock stands still, and only what is due at once happens. \`{ "by": "PT0S" }\` waits for that and says what the clock shows. For test tenants only: others get 409, and so does who would send a clock that is on its way somewhere else. Tokens, rate limits and idempotency keys go by the time of day.`,
        access: 'channels:write',
        body: ClockAdvance,
        answer: data(TestClock),
        failures: ['conflict', 'service_unavailable'],
        example: { body: { by: 'P1D' }, answer: { now: '2026-11-16T01:02:03.456Z' } },
      },
      ({ principal, body }) => advanceClock(principal.tenantId, body, deps),
    ),
  ];
}
