import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Ajv, type ValidateFunction } from 'ajv';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { isUuid } from '../../src/base/ids.ts';
import { documentedEvents } from '../../src/documented-events.ts';
import { isDateTime } from '../../src/http/validation.ts';
import { cleanUpAfterFile } from './clean-up.ts';
import { useListener } from './listeners.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  body: any;
}

export interface Receiver {
  url: string;
  port: number;
  /** Its own: a server of another test may still deliver to a port that is free again. Other paths are answered with 404. */
  path: string;
  received: Received[];
  /** How many connections were ever made. */
  connections(): number;
  /** The answers to the next requests; afterwards every request is answered with 200. */
  answerWith(
    ...statuses: (number | { status: number; headers?: Record<string, string>; body?: string })[]
  ): void;
  close(): Promise<void>;
}

/**
 * A real HTTP server that receives webhooks. It checks each delivery, and the test file fails if one was wrong. It listens
 * until the file ends, because the server of the file may deliver to it until then.
 */
export async function useReceiver(host = '127.0.0.1', port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const issues: string[] = [];
  const answers: { status: number; headers?: Record<string, string>; body?: string }[] = [];
  const path = `/hook-${randomUUID()}`;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (!request.url?.startsWith(path)) return void response.writeHead(404).end();
      const text = Buffer.concat(chunks).toString('utf8');
      const delivery = { headers: request.headers, text, body: JSON.parse(text) };
      received.push(delivery);
      issues.push(...issuesOf(delivery));
      const { status, headers, body } = answers.shift() ?? { status: 200 };
      response.writeHead(status, headers).end(body);
    });
  });
  cleanUpAfterFile(() => expect(issues).toEqual([]));
  const listener = await useListener(server, { host, port, registerCleanUp: cleanUpAfterFile });
  // The port may have been that of a receiver of another file, which other webhooks pointed to.
  webhooksAt.delete(new URL(listener.url).host);
  return {
    ...listener,
    url: `${listener.url}${path}`,
    path,
    received,
    answerWith: (...given) =>
      answers.push(...given.map((one) => (typeof one === 'number' ? { status: one } : one))),
  };
}

/** In the order of their events. Several are under way at once, so that they may arrive in any order. */
export const bySequence = (received: readonly Received[]): Received[] =>
  received.toSorted((a, b) => a.body.sequence - b.body.sequence);

/** The secrets of every webhook that a test has made or rotated, and where each webhook points. */
const secretsOf = new Map<string, string[]>();
const webhooksAt = new Map<string, Set<string>>();

/** Remembers the webhook in an answer of the API, so that receivers can check what it sends. */
export function learnWebhook(data: { id?: unknown; url?: unknown; secret?: unknown } | undefined): void {
  if (typeof data?.id !== 'string' || typeof data.url !== 'string' || !URL.canParse(data.url)) return;
  const { host } = new URL(data.url);
  webhooksAt.set(host, (webhooksAt.get(host) ?? new Set()).add(data.id));
  if (typeof data.secret === 'string')
    secretsOf.set(data.id, [...(secretsOf.get(data.id) ?? []), data.secret]);
}

/** Verifies a delivery with an independent implementation of Standard Webhooks, at the time of the delivery. */
export function verifySignature(
  secret: string,
  { headers, text }: Pick<Received, 'headers' | 'text'>,
): unknown {
  const at = Number(headers['webhook-timestamp']) * 1000;
  const realNow = Date.now;
  Date.now = () => at;
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>);
  } finally {
    Date.now = realNow;
  }
}

/** Whether a delivery carries a signature of this secret. */
export function isSignedWith(secret: string, delivery: Pick<Received, 'headers' | 'text'>): boolean {
  try {
    verifySignature(secret, delivery);
    return true;
  } catch {
    return false;
  }
}

const ajv = new Ajv({ strict: false });
ajv.addFormat('uuid', { type: 'string', validate: isUuid });
ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
const documented = new Map(documentedEvents.map(({ type, schema }) => [type as string, schema]));
const validators = new Map<string, ValidateFunction>();

function findValidator(type: string): ValidateFunction | undefined {
  const schema = documented.get(type);
  if (schema && !validators.has(type)) validators.set(type, ajv.compile({ ...schema }));
  return validators.get(type);
}

/** The issues of a delivery: it must be signed by a webhook that points here, and match its documented schema. */
function issuesOf(delivery: Received): string[] {
  const { headers, body } = delivery;
  const known = [...(webhooksAt.get(headers.host ?? '') ?? [])].flatMap((id) => secretsOf.get(id) ?? []);
  const issues: string[] = [];
  if (known.length > 0 && !known.some((secret) => isSignedWith(secret, delivery)))
    issues.push(`${headers['webhook-id']} is not signed by a webhook that points here`);
  if (headers['webhook-id'] !== body.id) issues.push(`${headers['webhook-id']} carries the event ${body.id}`);
  const validate = findValidator(body.type);
  if (validate && !validate(body)) issues.push(`${body.type}: ${JSON.stringify(validate.errors)}`);
  return issues;
}
