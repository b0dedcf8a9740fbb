import { ApiError, type InvalidParamKey, type InvalidParams } from './errors.ts';

/** More than this many wrong parameters help nobody. */
export const MAX_ISSUES = 100;

/** What is wrong with one parameter. */
export interface Issue {
  key: InvalidParamKey;
  message: string;
}

/** Collects everything that is wrong with a request, so that the client sees all of it at once. */
export interface Issues {
  /** Adds an issue at a path. The first issue of a path counts. */
  add(path: string, key: InvalidParamKey, message: string): void;
  /** The same collector for a part of the request: its paths are below `prefix`. */
  at(prefix: string): Issues;
  readonly isEmpty: boolean;
  readonly params: InvalidParams;
  /** Throws `invalid_body_params` with every issue, if there is one. */
  throwIfAny(): void;
}

export function collectIssues(params: InvalidParams = {}): Issues {
  const isEmpty = (): boolean => Object.keys(params).length === 0;
  const below = (prefix: string): Issues => ({
    add(path, key, message) {
      const whole = prefix + path;
      if (!Object.hasOwn(params, whole) && Object.keys(params).length < MAX_ISSUES)
        params[whole] = { key, message };
    },
    at: (more) => below(`${prefix}${more}.`),
    get isEmpty() {
      return isEmpty();
    },
    params,
    throwIfAny() {
      if (!isEmpty()) throw new ApiError('invalid_body_params', { invalidParams: params });
    },
  });
  return below('');
}
