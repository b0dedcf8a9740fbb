/** The one source of the time of day. Code asks it instead of `Date.now()`, so that tests can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface ManualClock extends Clock {
  set(time: Date): void;
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function manualClock(start: Date): ManualClock {
  let time = start.getTime();
  return {
    now: () => new Date(time),
    set: (to) => {
      time = to.getTime();
    },
    advance: (ms) => {
      time += ms;
    },
  };
}
