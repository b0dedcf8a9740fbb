/** What is added to the clock of this machine: by how much it differs from that of the database (db/clock-watch.ts). */
let correctionMs = 0;

/** The time of this process in milliseconds. Use a clock where there is one: tests can move it. */
export const nowMs = (): number => Date.now() + correctionMs;

/** Whether a time is in the span of this length before its end. One before the span means that the clock was set back since. */
export const isWithin = (now: number, end: number, lengthMs: number): boolean =>
  now < end && now >= end - lengthMs;

export function correctTime(offsetMs: number): void {
  correctionMs = Math.round(offsetMs);
}
