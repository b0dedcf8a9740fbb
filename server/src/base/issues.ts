import { ApiError, type InvalidParamKey, type InvalidParams } from './errors.ts';

/** An error names at most this many invalid parameters. */
export const MAX_ISSUES = 100;
/** Paths contain keys of the request: a hundred paths as long as the body would make an answer of 100 MB. */
const MAX_PATH_CHARACTERS = 256;

/** What is wrong with one parameter. */
export interface Issue {
  key: InvalidParamKey;
  message: string;
}

/** Collects everything that is wrong with a request, so that the client sees all of it at once. */
export interface Issues {
  /** Adds an issue at a path. The first issue of a path counts. */
  add(path: string, key: InvalidParamKey, message: string): void;
  has(path: string): boolean;
  /** The same collector for a part of the request: its paths are below `prefix`. */
  at(prefix: string): Issues;
  readonly isEmpty: boolean;
  /** Whether further issues are ignored, so that validators can stop. */
  readonly isFull: boolean;
  readonly params: InvalidParams;
  /** Throws `invalid_body_params` with every issue, if there is one. */
  throwIfAny(): void;
}

const shorten = (path: string): string =>
  (path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path).toWellFormed();

export function collectIssues(): Issues {
  // Without a prototype: an issue at the path `__proto__` would replace it.
  const params: InvalidParams = Object.create(null);
  let count = 0;
  const below = (prefix: string): Issues => ({
    add(path, key, message) {
      const whole = shorten(prefix + path);
      if (count >= MAX_ISSUES || Object.hasOwn(params, whole)) return;
      params[whole] = { key, message };
      count += 1;
    },
    has: (path) => Object.hasOwn(params, shorten(prefix + path)),
    at: (more) => below(`${prefix}${more}.`),
    get isEmpty() {
      return count === 0;
    },
    get isFull() {
      return count >= MAX_ISSUES;
    },
    params,
    throwIfAny() {
      if (count > 0) throw new ApiError('invalid_body_params', { invalidParams: params });
    },
  });
  return below('');
}
