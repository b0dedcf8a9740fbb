/** Every error of the API with its HTTP status and the beginning of its message. */
export const errorCatalogue = {
  invalid_body_params: { status: 400, message: 'Invalid body params' },
  unauthorized: { status: 401, message: 'Unauthorized' },
  insufficient_billing_plan: { status: 402, message: 'Insufficient billing plan' },
  forbidden: { status: 403, message: 'Forbidden' },
  contact_not_found: { status: 404, message: 'Contact not found' },
  too_many_requests: {
    status: 429,
    message:
      'Too many requests: the limit applies per minute per tenant. Retry after the time in the X-RateLimit-Reset header',
  },
  internal_error: { status: 500, message: 'Oops! Something went wrong' },

  totp_required: { status: 401, message: 'Two-factor code required' },
  too_many_attempts: { status: 429, message: 'Too many failed attempts' },

  automation_not_found: { status: 404, message: 'Automation not found' },
  automation_run_not_found: { status: 404, message: 'Automation run not found' },
  automation_version_not_found: { status: 404, message: 'Automation version not found' },
  attribute_not_found: { status: 404, message: 'Attribute not found' },
  event_not_found: { status: 404, message: 'Event not found' },
  failed_request_not_found: { status: 404, message: 'Failed request not found' },
  file_not_found: { status: 404, message: 'File not found' },
  file_url_expired: { status: 403, message: 'File URL expired' },
  import_not_found: { status: 404, message: 'Import not found' },
  job_not_found: { status: 404, message: 'Job not found' },
  label_not_found: { status: 404, message: 'Label not found' },
  message_not_found: { status: 404, message: 'Message not found' },
  note_not_found: { status: 404, message: 'Note not found' },
  message_template_not_found: { status: 404, message: 'Message template not found' },
  team_not_found: { status: 404, message: 'Team not found' },
  view_not_found: { status: 404, message: 'View not found' },
  saved_reply_not_found: { status: 404, message: 'Saved reply not found' },
  user_not_found: { status: 404, message: 'User not found' },
  api_webhook_not_found: { status: 404, message: 'API webhook not found' },
  campaign_not_found: { status: 404, message: 'Campaign not found' },
  channel_not_found: { status: 404, message: 'Channel not found' },
  chat_not_found: { status: 404, message: 'Chat not found' },
  segment_not_found: { status: 404, message: 'Segment not found' },
  tenant_not_found: { status: 404, message: 'Tenant not found' },
  webhook_delivery_not_found: { status: 404, message: 'Webhook delivery not found' },
  route_not_found: { status: 404, message: 'Route not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  conflict: { status: 409, message: 'Conflict' },
  limit_reached: { status: 409, message: 'Limit reached' },
  api_version_sunset: { status: 410, message: 'API version sunset' },
  payload_too_large: { status: 413, message: 'Payload too large' },
  unsupported_media_type: { status: 415, message: 'Unsupported media type' },
  range_not_satisfiable: { status: 416, message: 'Range not satisfiable' },
  idempotency_key_reused: { status: 422, message: 'Idempotency key reused' },
  service_unavailable: { status: 503, message: 'Service unavailable' },
  search_too_slow: { status: 503, message: 'Search too slow' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorKey = keyof typeof errorCatalogue;

/** The issue codes of zod 3, as the specification uses them. */
export type InvalidParamKey =
  | 'invalid_type'
  | 'invalid_string'
  | 'invalid_enum_value'
  | 'too_small'
  | 'too_big'
  | 'invalid_date'
  | 'unrecognized_keys'
  | 'invalid_union'
  | 'custom';

export type InvalidParams = Record<string, { key: InvalidParamKey; message: string }>;

interface ApiErrorDetails {
  /** What the client can do; follows the message of the catalogue after a colon. */
  detail?: string;
  invalidParams?: InvalidParams;
  /** Distinguishes conflicts in the code of the server. */
  reason?: string;
  /** When the client may try again: the Retry-After header. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An error that the API returns. Any other error becomes an `internal_error`. */
export class ApiError extends Error {
  readonly key: ErrorKey;
  readonly status: number;
  readonly invalidParams: InvalidParams | undefined;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(key: ErrorKey, details: ApiErrorDetails = {}) {
    const { status, message } = errorCatalogue[key];
    super(details.detail === undefined ? message : `${message}: ${details.detail}`, { cause: details.cause });
    this.name = 'ApiError';
    this.key = key;
    this.status = status;
    this.invalidParams = details.invalidParams;
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** The error for one invalid parameter. */
export function invalidParam(path: string, key: InvalidParamKey, message: string): ApiError {
  return new ApiError('invalid_body_params', { invalidParams: { [path]: { key, message } } });
}

/** A problem of the installation that its operator can fix: shown as one sentence, without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Whether the database or another service does not answer: the request or row itself may be valid. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'service_unavailable';
