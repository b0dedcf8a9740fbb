import { sha256 } from '../base/crypto.ts';
import { emailKey } from '../base/email.ts';
import { ApiError } from '../base/errors.ts';
import { networkOf } from '../base/network.ts';
import { nowMs } from '../base/time.ts';
import type { Queryable } from '../db/queryable.ts';
import { systemStatement } from '../db/statement.ts';

const PERIOD_MS = 15 * 60_000;

/** How many failures a key may have in a period. */
interface Limit {
  key: string;
  max: number;
}

const countFailures = systemStatement<[ids: Buffer[], period: number], { id: Buffer; failures: number }>(
  'login_failures.add',
  // In the order of ids, so that two logins at the same time never wait for each other in a circle. A period that begins later than
  // the next one is left from before the clock was set back: it counts as the present one.
  `insert into login_failures as f (id, period, failures)
   select k.id, $2, 1 from unnest($1::bytea[]) as k (id) order by k.id
   on conflict (id) do update set
     failures = case when f.period < excluded.period then 1 else f.failures + 1 end,
     period = case when f.period > excluded.period + 1 then excluded.period else greatest(f.period, excluded.period) end
   returning f.id, f.failures`,
);
const takeBack = systemStatement<[ids: Buffer[], period: number]>(
  'login_failures.take_back',
  `with mine as (
     select id from login_failures where id = any ($1::bytea[]) and period between $2 and $2 + 1 order by id for no key update)
   update login_failures f set failures = greatest(f.failures - 1, 0) from mine where f.id = mine.id`,
);
const sweep = systemStatement<[before: number]>(
  'login_failures.sweep',
  'delete from login_failures where period < $1',
);

/** Passwords and codes of a person. */
export const loginLimits = (email: string, address: string): Limit[] => {
  const network = networkOf(address);
  return [
    { key: `email ${emailKey(email)} ${network}`, max: 10 },
    { key: `address ${network}`, max: 30 },
    { key: `email ${emailKey(email)}`, max: 100 },
  ];
};

/** Codes of the second factor, over all sessions, links and networks: only who has the password or a link gets to guess them. */
export const codeLimits = (personId: string): Limit[] => [{ key: `code ${personId}`, max: 10 }];

/** Links have a limit of their own, so that a stale link in a browser locks nobody out of logging in. */
export const linkLimits = (address: string): Limit[] => [{ key: `link ${networkOf(address)}`, max: 30 }];

/** Requests for a link by mail: so that nobody fills the mailbox of another. */
export const resetLimits = (email: string, address: string): Limit[] => [
  { key: `reset ${emailKey(email)}`, max: 3 },
  { key: `reset address ${networkOf(address)}`, max: 20 },
];

/** Counts an attempt, and returns what takes that back; throws if there were too many. Uses real time. */
async function countAttempt(db: Queryable, limits: readonly Limit[]): Promise<() => Promise<unknown>> {
  const now = nowMs();
  const period = Math.floor(now / PERIOD_MS);
  const maxOf = new Map(limits.map(({ key, max }) => [sha256(key).toString('hex'), max]));
  const ids = [...maxOf.keys()].map((id) => Buffer.from(id, 'hex'));
  const counted = await db.all(countFailures, [ids, period]);
  const undo = () => db.run(takeBack, [ids, period]);
  if (counted.some(({ id, failures }) => failures > (maxOf.get(id.toString('hex')) as number))) {
    await undo();
    throw new ApiError('too_many_attempts', {
      detail: 'try again later',
      retryAfterSeconds: Math.ceil(((period + 1) * PERIOD_MS - now) / 1000),
    });
  }
  return undo;
}

/** Counts an attempt, whatever becomes of it. */
export const limitAttempts = async (db: Queryable, limits: readonly Limit[]): Promise<void> =>
  void (await countAttempt(db, limits));

/**
 * Runs an attempt and counts it if it fails with `unauthorized`. It is counted before it begins and taken back if it succeeds:
 * attempts at the same time cannot get past the limit together.
 */
export async function limitFailures<T>(
  db: Queryable,
  limits: readonly Limit[],
  attempt: () => Promise<T>,
): Promise<T> {
  const undo = await countAttempt(db, limits);
  try {
    const result = await attempt();
    await undo();
    return result;
  } catch (error) {
    const isFailure = error instanceof ApiError && error.key === 'unauthorized';
    if (!isFailure) await undo();
    throw error;
  }
}

/** Forgets the failures of earlier periods. */
export const sweepFailures = async (db: Queryable): Promise<void> =>
  void (await db.run(sweep, [Math.floor(nowMs() / PERIOD_MS)]));
