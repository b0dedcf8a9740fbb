import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, type ErrorKey } from '../base/errors.ts';
import { MAX_ISSUES } from '../base/issues.ts';

/** Errors of the framework, by their code. */
const frameworkErrors: Record<string, { key: ErrorKey; detail: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { key: 'payload_too_large', detail: 'send less in one request' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    key: 'unsupported_media_type',
    detail: 'send JSON with the header "Content-Type: application/json"',
  },
  FST_CP_ERR_INVALID_CONTENT_ENCODING: {
    key: 'unsupported_media_type',
    detail: 'send the body as it is, or with the Content-Encoding gzip, deflate or br',
  },
  FST_ERR_BAD_URL: { key: 'route_not_found', detail: 'the path is not well-formed' },
  FST_ERR_MAX_PARAM_LENGTH: { key: 'route_not_found', detail: 'the path is too long' },
};

/** Errors while a body is read, by their code. */
const brokenBodies: Record<string, string> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says',
  FST_CP_ERR_INVALID_CONTENT: 'The body is not what its Content-Encoding says',
  ECONNRESET: 'The body is incomplete',
};

/** Errors of a disk that stores nothing more, by their code. */
const unwritableCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

/** Converts anything that was thrown to an error of the API. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = (error as { code?: string }).code ?? '';
  const known = frameworkErrors[code];
  if (known) return new ApiError(known.key, { detail: known.detail, cause: error });
  const broken = brokenBodies[code];
  // The framework sets 400 for errors while it reads a body. An outgoing connection can be reset, too.
  if (broken && (error as { statusCode?: number }).statusCode === 400)
    return new ApiError('invalid_body_params', {
      invalidParams: { body: { key: 'custom', message: broken } },
      cause: error,
    });
  if (unwritableCodes.has(code))
    return new ApiError('service_unavailable', {
      detail: 'the server cannot store files at the moment, try again later',
      cause: error,
    });
  return new ApiError('internal_error', { cause: error });
}

export const errorBody = (error: ApiError, requestId: string) => ({
  success: false,
  error: {
    messageKey: error.key,
    message: error.message,
    ...(error.invalidParams === undefined
      ? {}
      : {
          invalidParams: Object.fromEntries(Object.entries(error.invalidParams).slice(0, MAX_ISSUES)),
        }),
    requestId,
  },
});

/** Headers that an error always has. */
const errorHeaders: Partial<Record<ErrorKey, Record<string, string>>> = {
  unauthorized: { 'www-authenticate': 'Bearer' },
  service_unavailable: { 'retry-after': '1' },
  search_too_slow: { 'retry-after': '5' },
};

/** Sends an error. The cause of an internal error is only logged. */
export function sendError(answer: ApiError, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  if (answer.status === 500)
    log.error(
      { err: answer.cause, requestId: request.id, tenantId: request.principal?.tenantId },
      'internal error',
    );
  else if (answer.key === 'service_unavailable')
    log.warn({ err: answer.cause, requestId: request.id }, answer.message);
  const headers = errorHeaders[answer.key];
  if (headers) reply.headers(headers);
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds));
  reply
    .code(answer.status)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((body: unknown) => body as string)
    .send(JSON.stringify(errorBody(answer, request.id)));
}
