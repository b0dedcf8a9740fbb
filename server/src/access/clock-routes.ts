import { data } from '../http/answer.ts';
import { call, type Route } from '../http/route.ts';
import { type AdvanceDeps, advanceClock, MAX_ADVANCE_DAYS } from './advance-clock.ts';
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
        description: `Moves the clock forward to a time (\`to\`) or by a duration (\`by\`), at most ${MAX_ADVANCE_DAYS} days in one call. Everything that is due by then happens in order before the answer: waits and schedules of automations, campaigns, ends of snoozes, scheduled messages, retries of webhook deliveries, and what the sandbox reports and decides. Between two calls the clock stands still, and only what is due immediately happens. \`{ "by": "PT0S" }\` waits for that and returns the time of the clock. Other tenants get 409, and so does a call while the clock is moving to another time. Tokens, rate limits and idempotency keys use the time of day.`,
        access: 'channels:write',
        body: ClockAdvance,
        answer: data(TestClock),
        failures: ['conflict', 'service_unavailable'],
        example: { body: { by: 'P1D' }, answer: { now: '2026-11-16T01:02:03.456Z' } },
      },
      ({ body }, tenant) => advanceClock(tenant, body, deps),
    ),
  ];
}
