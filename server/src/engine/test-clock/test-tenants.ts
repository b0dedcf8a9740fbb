import type { Queryable } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

const clocks = statement<[ids: string[]], { id: string; clock: Date }>(
  'test_tenants.clocks',
  'select id, clock from tenants where id = any ($1::uuid[]) and clock is not null',
);
const setTarget = statement<[id: string, before: Date, target: Date]>(
  'test_tenants.set_target',
  'update tenants set clock_target = $3 where id = $1 and clock = $2 and clock_target is null',
);
const move = statement<[id: string, before: Date, after: Date]>(
  'test_tenants.move',
  'update tenants set clock = $3 where id = $1 and clock = $2 and clock_target >= $3',
);
const arrive = statement<[id: string, target: Date]>(
  'test_tenants.arrive',
  'update tenants set clock_target = null where id = $1 and clock = $2 and clock_target = $2',
);
const state = statement<[id: string], ClockState>(
  'test_tenants.state',
  'select clock, clock_target as target from tenants where id = $1 and clock is not null',
);

const anyClock = statement<[], { exists: boolean }>(
  'test_tenants.any',
  'select exists (select 1 from tenants where clock is not null)',
);

/** What a test tenant's clock shows, and where it is on its way to. */
export interface ClockState {
  clock: Date;
  target: Date | null;
}

/** What the clocks of these test tenants show. */
export async function readClocks(db: Pick<Queryable, 'all'>, ids: string[]): Promise<Map<string, Date>> {
  return new Map((await db.all(clocks, [ids])).map(({ id, clock }) => [id, clock]));
}

export const hasTestTenants = async (db: Pick<Queryable, 'find'>): Promise<boolean> =>
  (await db.find(anyClock, []))?.exists === true;

export const findClock = (db: Pick<Queryable, 'find'>, tenantId: string): Promise<ClockState | undefined> =>
  db.find(state, [tenantId]);

/** Sends a clock on its way; false when it has been moved or sent elsewhere meanwhile. */
export const sendClock = async (
  db: Pick<Queryable, 'run'>,
  tenantId: string,
  before: Date,
  target: Date,
): Promise<boolean> => (await db.run(setTarget, [tenantId, before, target])) === 1;

/** Moves a clock that is on its way; false when somebody else has. */
export const moveClock = async (
  db: Pick<Queryable, 'run'>,
  tenantId: string,
  before: Date,
  after: Date,
): Promise<boolean> => (await db.run(move, [tenantId, before, after])) === 1;

/** Says that a clock is where it was sent to, and that all has happened that was due by then. */
export async function endJourney(db: Pick<Queryable, 'run'>, tenantId: string, target: Date): Promise<void> {
  await db.run(arrive, [tenantId, target]);
}
