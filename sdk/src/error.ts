import type { MessageKey } from './generated/types.ts';

/** One invalid parameter of a request. */
export interface Issue {
  /** Its path in the request, such as `body.name`. */
  parameter: string;
  key: string;
  message: string;
}

interface ErrorDetails {
  status: number;
  messageKey: ParleyError['messageKey'];
  message: string;
  issues?: Issue[];
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Why a request failed. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /**
   * The reason: one of the API, `connection_failed` if no server answered, or `unexpected_answer` if something else than
   * Parley did.
   */
  readonly messageKey: MessageKey | 'connection_failed' | 'unexpected_answer';
  /** Every invalid parameter. */
  readonly issues: readonly Issue[];
  /** The first invalid parameter. */
  readonly parameter: string | undefined;
  /** For the operator, who finds it in the log. */
  readonly requestId: string | undefined;
  /** After how many seconds the request may succeed. */
  readonly retryAfter: number | undefined;

  constructor({ status, messageKey, message, issues = [], requestId, retryAfter, cause }: ErrorDetails) {
    super(message, { cause });
    this.status = status;
    this.messageKey = messageKey;
    this.issues = issues;
    this.parameter = issues[0]?.parameter;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** The seconds of `Retry-After`, which is a number of seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** The error that a response describes. */
export async function errorOf(response: Response): Promise<ParleyError> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => undefined)) as
    | {
        error?: {
          messageKey?: unknown;
          message?: unknown;
          invalidParams?: Record<string, Omit<Issue, 'parameter'>>;
        };
      }
    | undefined;
  const { messageKey, message, invalidParams } = body?.error ?? {};
  const isOurs = typeof messageKey === 'string';
  const issues = Object.entries((isOurs && invalidParams) || {}).map(([parameter, issue]) => ({
    parameter,
    ...issue,
  }));
  const details = issues.map((issue) => `${issue.parameter}: ${issue.message}`);
  return new ParleyError({
    status,
    messageKey: isOurs ? (messageKey as MessageKey) : 'unexpected_answer',
    message: isOurs ? [message, ...details].join('; ') : `Something else than Parley answered (${status}).`,
    issues,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

/** The error for a request that nobody answered. What the caller aborted stays as it is. */
export function connectionError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || error instanceof ParleyError) return error;
  return new ParleyError({
    status: 0,
    messageKey: 'connection_failed',
    message: 'No server answered.',
    cause: error,
  });
}
