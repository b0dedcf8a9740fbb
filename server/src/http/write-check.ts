import { ApiError } from '../base/errors.ts';

/** Supervisors ask every few seconds, and a write costs a flush of the disk: they share one. */
const FRESH_MS = 5_000;

export interface WriteCheck {
  /** Notes that a write of this process failed: a full disk may still have room for the small one of the check. */
  failed(): void;
  /** Throws if the database cannot store anything, by a write of the last seconds. */
  requireWritable(): Promise<void>;
}

export function writeCheck(write: () => Promise<void>): WriteCheck {
  let failedAt = Number.NEGATIVE_INFINITY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;
  const isRecent = (at: number): boolean => performance.now() - at < FRESH_MS;
  return {
    failed() {
      failedAt = performance.now();
    },
    async requireWritable() {
      if (isRecent(failedAt))
        throw new ApiError('service_unavailable', {
          detail: 'the database could not store something in the last seconds; see the log',
        });
      if (isRecent(checkedAt)) return;
      checking ??= write()
        .then(() => {
          checkedAt = performance.now();
        })
        .finally(() => {
          checking = undefined;
        });
      await checking;
    },
  };
}
