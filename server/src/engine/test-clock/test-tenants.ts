import type { Queryable } from '../../db/queryable.ts';
import { systemStatement } from '../../db/statement.ts';

const clocks = systemStatement<[ids: string[]], { id: string; clock: Date }>(
  'test_tenants.clocks',
  'select id, clock from visible_tenants where id = any ($1::uuid[]) and clock is not null',
);
const setTarget = systemStatement<[id: string, before: Date, target: Date]>(
  'test_tenants.set_target',
  'update visible_tenants set clock_target = $3 where id = $1 and clock = $2 and clock_target is null',
);
const move = systemStatement<[id: string, before: Date, after: Date]>(
  'test_tenants.move',
  'update visible_tenants set clock = $3 where id = $1 and clock = $2 and clock_target >= $3',
);
const arrive = systemStatement<[id: string, target: Date]>(
  'test_tenants.arrive',
  'update visible_tenants set clock_target = null where id = $1 and clock = $2 and clock_target = $2',
);
const state = systemStatement<[id: string], ClockState>(
  'test_tenants.state',
  'select clock, clock_target as target from visible_tenants where id = $1 and clock is not null',
);

/** SQL for one test tenant, if there are any. */
export const ANY_TEST_TENANT = 'select id from visible_tenants where clock is not null limit 1';

/** The time of a test tenant's clock, and the time it is moving to. */
export interface ClockState {
  clock: Date;
  target: Date | null;
}

/** The times of these test tenants. */
export async function readClocks(db: Pick<Queryable, 'all'>, ids: string[]): Promise<Map<string, Date>> {
  return new Map((await db.all(clocks, [ids])).map(({ id, clock }) => [id, clock]));
}

export const findClock = (db: Pick<Queryable, 'find'>, tenantId: string): Promise<ClockState | undefined> =>
  db.find(state, [tenantId]);

/** Starts moving a clock. Returns false if the clock or its target changed meanwhile. */
export const startMovingClock = async (
  db: Pick<Queryable, 'run'>,
  tenantId: string,
  before: Date,
  target: Date,
): Promise<boolean> => (await db.run(setTarget, [tenantId, before, target])) === 1;

/** Moves a clock towards its target. Returns false if another process has moved it. */
export const moveClock = async (
  db: Pick<Queryable, 'run'>,
  tenantId: string,
  before: Date,
  after: Date,
): Promise<boolean> => (await db.run(move, [tenantId, before, after])) === 1;

/** Ends the move of a clock that has reached its target, after everything due by then is done. */
export async function endMove(db: Pick<Queryable, 'run'>, tenantId: string, target: Date): Promise<void> {
  await db.run(arrive, [tenantId, target]);
}
