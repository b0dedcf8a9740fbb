import { ApiError, type InvalidParamKey, type InvalidParams } from '../base/errors.ts';
import { MAX_INVALID_PARAMS } from '../http/body.ts';

/** Notes what is wrong at a path. */
export type Complain = (path: string, fault: { key: InvalidParamKey; message: string }) => void;

export interface Faults {
  complain: Complain;
  /** Throws everything that was complained about, if anything was. */
  throwAny(): void;
}

/** Collects what is wrong with a body, so that a client is told all of it at once. */
export function collectFaults(): Faults {
  const faults: InvalidParams = {};
  let count = 0;
  return {
    complain(path, { key, message }) {
      if (count < MAX_INVALID_PARAMS && !Object.hasOwn(faults, path)) {
        faults[path] = { key, message };
        count += 1;
      }
    },
    throwAny() {
      if (count > 0) throw new ApiError('invalid_body_params', { invalidParams: faults });
    },
  };
}

/** Complaints below a path. */
export const below =
  (complain: Complain, path: string): Complain =>
  (at, fault) =>
    complain(`${path}.${at}`, fault);
