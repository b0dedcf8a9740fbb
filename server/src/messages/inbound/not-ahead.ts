/** A vendor's clock may be ahead by this much. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * When something happened, by the vendor's clock. Nothing happened in the future: a message from there would stay the latest of
 * its chat and keep the reply window open, and STOP from there could not be undone.
 */
export const notAhead = (time: Date, now: Date): Date =>
  time.getTime() - now.getTime() > MAX_AHEAD_MS ? now : time;
