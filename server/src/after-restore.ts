import { type Static, Type } from 'typebox';
import type { Database } from './db/database.ts';
import { systemStatement } from './db/statement.ts';
import type { Queue } from './engine/queue.ts';
import { data } from './http/answer.ts';
import { operatorRead, type Route } from './http/route.ts';
import { Nullable, Timestamp, timestamp } from './http/schema.ts';
import { beginHold, endHoldNow, findRestore } from './installation.ts';

const countHeld = systemStatement<[], { queue: string; held: number }>(
  'held_rows.count',
  'select queue, count(*)::int as held from held_rows group by queue order by queue',
);

const HeldWork = Type.Object(
  {
    epoch: Type.Integer({
      description:
        'What positions in event streams begin with after a restore; 0: there was none, and positions are bare sequences',
    }),
    heldSince: Nullable(Timestamp('Null: nothing is held')),
    queues: Type.Array(Type.Object({ queue: Type.String(), held: Type.Integer() }), {
      description: 'How much is held in each queue; queues without held work are left out',
    }),
  },
  { title: 'HeldWork' },
);
type HeldWork = Static<typeof HeldWork>;

/**
 * Holds everything that was due in a restored backup: it may have been done already, after the backup was made. What becomes
 * due later, and what is new, is worked on as usual. Returns how many rows are held, or undefined if an earlier hold has not
 * been released: a second process, or a restart with the same flag, adds nothing.
 */
export async function holdDueWork(db: Database, queues: readonly Queue[]): Promise<number | undefined> {
  return db.systemTransaction(async (tx) => {
    const now = await beginHold(tx);
    if (now === undefined) return undefined;
    // A backlog may be large; no request waits for this transaction.
    await tx.query('set local statement_timeout = 0', []);
    let held = 0;
    for (const { held: statements } of queues) held += await tx.run(statements.hold, [now]);
    return held;
  });
}

async function describeHeldWork(db: Database): Promise<HeldWork> {
  const { epoch, heldAt } = await findRestore(db);
  return {
    epoch,
    heldSince: heldAt === null ? null : timestamp(heldAt),
    queues: await db.all(countHeld, []),
  };
}

/** Releases all held work, in batches. Repeated after a crash it continues. */
async function releaseHeldWork(db: Database, queues: readonly Queue[]): Promise<void> {
  for (const { held } of queues)
    while (((await db.find(held.release, [])) as { released: number }).released > 0);
  await endHoldNow(db);
}

const operator = { tag: 'Operator', access: 'operator' } as const;
const example = {
  epoch: 1_794_819_723,
  heldSince: '2026-11-16T09:02:03.456Z',
  queues: [
    { queue: 'deliveries', held: 12 },
    { queue: 'messages', held: 3 },
  ],
};

/** What the operator sees and decides after a start with --after-restore. */
export function afterRestoreRoutes(queues: readonly Queue[]): Route[] {
  return [
    operatorRead(
      {
        ...operator,
        method: 'GET',
        path: '/admin/held_work',
        operationId: 'getHeldWork',
        summary: 'Get what is held after a restore',
        description:
          'After a start with `--after-restore`, everything that was due in the backup is held until it is released.',
        answer: data(HeldWork),
        failures: [],
        example: { answer: example },
      },
      (_call, db) => describeHeldWork(db),
    ),
    // Not one transaction: a large backlog is released in batches.
    operatorRead(
      {
        ...operator,
        method: 'POST',
        path: '/admin/held_work/release',
        operationId: 'releaseHeldWork',
        summary: 'Release what is held after a restore',
        description:
          'Everything that is held is done as soon as possible, as if it had just become due. Cancel before what must not be done.',
        answer: data(HeldWork),
        failures: [],
        example: { answer: { ...example, heldSince: null, queues: [] } },
      },
      async (_call, db) => {
        await releaseHeldWork(db, queues);
        return describeHeldWork(db);
      },
    ),
  ];
}
