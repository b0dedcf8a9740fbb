import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import { isUuid } from '../../src/base/ids.ts';
import type { Route } from '../../src/http/route.ts';
import { isDateTime } from '../../src/http/validation.ts';
import type { Answer } from './server.ts';

const ajv = new Ajv({ strict: false });
ajv.addFormat('uuid', { type: 'string', validate: isUuid });
ajv.addFormat('date-time', {
  type: 'string',
  validate: (text: string) => isDateTime(text) && /\.\d{3}Z$/.test(text),
});

/** By contract, shared by all servers of the process: to compile them per server took a third of the time of `npm test`. */
const validators = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const contract = JSON.stringify(schema);
  const validate = validators.get(contract) ?? ajv.compile(JSON.parse(contract));
  validators.set(contract, validate);
  return validate;
}

/** The contract of a route, against which its answers are checked. */
export interface Contract {
  spec: Route['spec'];
  isStream: boolean;
  validate?: ValidateFunction;
}

/** Finds the contract of a request. */
export function contractFinder(routes: readonly Route[]) {
  const known = routes.map(({ spec, kind }) => ({
    pattern: new RegExp(`^${spec.method} ${spec.path.replaceAll(/:[^/]+/g, '[^/]+')}/?$`),
    contract: { spec, isStream: kind === 'stream' } as Contract,
  }));
  return (method: string, path: string): Contract | undefined => {
    const request = `${method} ${path.split('?')[0]}`;
    return known.find(({ pattern }) => pattern.test(request))?.contract;
  };
}

/**
 * Checks an answer of the API against the contract of its route, or against the error envelope. Tests make a hundred thousand
 * calls, and `expect` is slow, so it is called only to report a failure.
 */
export function checkAnswer(
  method: string,
  path: string,
  answer: Answer,
  contract: Contract | undefined,
): void {
  if (!/^\/(v\d|admin|livez|readyz)/.test(path)) return;
  const { body, headers } = answer;
  const requestId = headers['x-request-id'];
  if (!requestId?.startsWith('req_')) expect(requestId).toMatch(/^req_/);
  if (method === 'HEAD' || headers['content-type']?.startsWith('text/event-stream')) return;
  const { isContent, isRedirect, mediaType } = contract?.spec.answer ?? {};
  if ((isContent || isRedirect || mediaType !== undefined) && answer.status < 400) return;
  if (typeof body !== 'object' || body === null) expect(body).toBeTypeOf('object');
  if (body.success === true) {
    if (contract === undefined) throw new Error(`There is no route for ${method} ${path}`);
    contract.validate ??= validatorOf(contract.spec.answer.schema);
    if (!contract.validate(body)) expect.fail(JSON.stringify(contract.validate.errors));
    return;
  }
  const { messageKey, message, requestId: errorRequestId } = body.error ?? {};
  const isEnvelope =
    body.success === false &&
    typeof messageKey === 'string' &&
    typeof message === 'string' &&
    errorRequestId === requestId;
  if (!isEnvelope)
    expect(body).toMatchObject({
      success: false,
      error: { messageKey: expect.any(String), message: expect.any(String), requestId },
    });
}
