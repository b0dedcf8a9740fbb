import type { Effort } from './reads.ts';
import { median } from './rounds.ts';
import { STATUS_DELAY_MS } from './sending.ts';
import { eventsNumbered, waitUntil } from './until.ts';
import type { World } from './world.ts';

const PEOPLE = 5000;
const GOAL = 1;

/** How many transactions have written anything so far. */
const WRITTEN = 'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint::int as count';

/** A broadcast of 5000 through the sandbox: from the call until all of it is sent. */
export async function broadcastRunFigure(world: World, effort: Effort): Promise<string[][]> {
  const { db } = world;
  const { tenantId, call } = await world.newTenant();
  const made = async (path: string, body: object): Promise<string> =>
    (await call<{ data: { id: string } }>('POST', path, body)).data.id;
  const workflowId = await made('/v3/automations', {
    name: 'Broadcast',
    trigger: { type: 'campaign' },
    steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
  });
  await call('POST', `/v3/automations/${workflowId}/publish`, {});
  const rounds: { perRecipient: number; rate: number; first: number; posted: number }[] = [];
  for (let round = 0; round < effort.rounds; round += 1) {
    const channelId = await made('/v3/channels', {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Broadcasts',
      address: `+155500088${String(round).padStart(2, '0')}`,
      config: { statusDelayMs: STATUS_DELAY_MS },
    });
    await eventsNumbered(world, tenantId);
    await db.query('vacuum analyze');
    const contacts = Array.from({ length: PEOPLE }, (_, person) => ({
      firstName: `N${person}`,
      phoneNumber: `+1${8_000_000_000 + round * 10_000 + 10 + person}`,
    }));
    const written = async (): Promise<number> => (await db.query(WRITTEN)).rows[0].count;
    const before = await written();
    const begun = Date.now();
    await call('POST', `/v2/${channelId}/broadcasts`, { name: `Round ${round}`, workflowId, contacts });
    const posted = Date.now() - begun;
    await waitUntil(
      async () =>
        (
          await db.query(
            `select count(*)::int as count from messages where tenant_id = $1 and channel_id = $2 and status = 'sent'`,
            [tenantId, channelId],
          )
        ).rows[0].count === PEOPLE,
    );
    const seconds = (Date.now() - begun) / 1000;
    const after = await written();
    const { rows } = await db.query('select min(at) as first from sandbox_outbox where channel_id = $1', [
      channelId,
    ]);
    rounds.push({
      perRecipient: (after - before) / PEOPLE,
      rate: PEOPLE / seconds,
      first: rows[0].first.getTime() - begun,
      posted,
    });
    process.stderr.write('.');
  }
  const of = (key: keyof (typeof rounds)[number]): number => median(rounds.map((one) => one[key]));
  const perRecipient = of('perRecipient');
  return [
    [
      `broadcast of ${PEOPLE}: transactions per recipient until sent`,
      perRecipient.toFixed(2),
      `≤ ${GOAL} ${perRecipient <= GOAL ? 'met' : 'missed'}`,
    ],
    [
      '  recipients a second, from the call until all are sent',
      Math.round(of('rate')).toLocaleString('en'),
      '',
    ],
    ['  from the call to its answer', `${Math.round(of('posted'))} ms`, ''],
    ['  from the call to the first message at the vendor', `${Math.round(of('first'))} ms`, ''],
  ];
}
