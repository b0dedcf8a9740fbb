import type { Logger } from 'pino';
import type { SystemClock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Queryable } from './queryable.ts';
import { systemStatement } from './statement.ts';

/** A deviation that the operator should know about. */
const NOTED_MS = 5_000;
/** A deviation with which this process takes no work: something is badly wrong, and it is not known with which clock. */
const MAX_MS = 60_000;
/** Smaller changes than this are noise of the measurement and of the scheduler. */
const NOISE_MS = 100;

const readTime = systemStatement<[], { now: Date }>('clock.read', 'select clock_timestamp() as now');

export interface ClockWatch {
  /** Compares the clocks and corrects this process. Failures leave the last correction as it is. */
  measure(): Promise<void>;
  /** `noted`: they differ by more than 5 seconds; `wrong`: by more than 60. */
  state(): 'right' | 'noted' | 'wrong';
  /** Whether the clocks agree well enough to take new work. */
  isRight(): boolean;
  /** Throws while they do not. */
  requireRight(): void;
}

interface WatchOptions {
  db: Pick<Queryable, 'find'>;
  clock: Pick<SystemClock, 'uncorrected' | 'correct'>;
  log: Pick<Logger, 'warn' | 'info'>;
}

const stateOf = (deviationMs: number): ReturnType<ClockWatch['state']> =>
  deviationMs > MAX_MS ? 'wrong' : deviationMs > NOTED_MS ? 'noted' : 'right';

/**
 * Keeps the clock of this process on the time of the database, which decides for all processes what is due. Clocks that jump
 * together, as those of one machine do, show no deviation.
 */
export function watchClock({ db, clock, log }: WatchOptions): ClockWatch {
  let state: ReturnType<typeof stateOf> = 'right';
  let offsetMs = 0;
  const times = () => {
    const machine = clock.uncorrected();
    return {
      process: machine.toISOString(),
      database: new Date(machine.getTime() + offsetMs).toISOString(),
    };
  };

  return {
    async measure() {
      const sentAt = clock.uncorrected().getTime();
      const since = performance.now();
      const row = await db.find(readTime, []);
      if (row === undefined) return;
      // The answer was given at some moment in between.
      const doubtMs = (performance.now() - since) / 2;
      const measuredMs = row.now.getTime() - (sentAt + doubtMs);
      if (Math.abs(measuredMs - offsetMs) > Math.max(NOISE_MS, 2 * doubtMs)) {
        offsetMs = measuredMs;
        clock.correct(offsetMs);
      }
      const next = stateOf(Math.abs(measuredMs) - doubtMs);
      if (next === state) return;
      state = next;
      if (state === 'right') log.info(times(), 'the clocks of this machine and of the database agree again');
      else
        log.warn(
          times(),
          state === 'noted'
            ? 'the clock of this machine differs from that of the database by more than 5 seconds; Parley uses the time of the database'
            : 'the clock of this machine differs from that of the database by more than 60 seconds; this process takes no work until they agree',
        );
    },
    state: () => state,
    isRight: () => state !== 'wrong',
    requireRight() {
      if (state !== 'wrong') return;
      const { process, database } = times();
      throw new ApiError('service_unavailable', {
        detail: `the clock of this process says ${process}, that of the database ${database}: set the wrong one`,
      });
    },
  };
}
