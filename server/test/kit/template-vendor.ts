import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OutboundResponse } from '../../src/outbound/exchange.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import type { AdapterChannel } from '../../src/providers/adapter-channel.ts';
import type { AdapterContext } from '../../src/providers/adapter-context.ts';
import { VendorFailure } from '../../src/providers/vendor-failure.ts';
import type { VendorTemplate } from '../../src/providers/vendor-template.ts';
import { useHttpServer } from './listeners.ts';

/** How the vendor treats its next requests, one after another. */
type Mood = 'refuse' | 'busy' | 'lose the answer' | 'hang';

export interface TemplateVendor {
  url: string;
  /** The templates by the ids of the vendor. */
  templates: Map<string, VendorTemplate>;
  /** Its requests, such as `POST /templates`. */
  asked: string[];
  moods: Mood[];
  /** Answers every request that hangs. */
  release(): void;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** A server of a vendor that reviews templates. A name exists once in each language. */
export async function useTemplateVendor(): Promise<TemplateVendor> {
  const templates = new Map<string, VendorTemplate>();
  const asked: string[] = [];
  const moods: Mood[] = [];
  const hanging: (() => void)[] = [];
  let made = 0;

  function act(request: IncomingMessage, body: string): { status: number; answer: unknown } {
    const id = request.url?.split('/')[2] ?? '';
    if (request.method === 'GET') return { status: 200, answer: [...templates.values()] };
    if (request.method === 'DELETE')
      return templates.delete(id) ? { status: 200, answer: {} } : { status: 404, answer: 'no such template' };
    const given = JSON.parse(body);
    const known = templates.get(id);
    if (known) {
      templates.set(id, { ...known, ...given, status: 'pending' });
      return { status: 200, answer: { status: 'pending' } };
    }
    const taken = [...templates.values()].some(
      ({ name, language }) => name === given.name && language === given.language,
    );
    if (taken) return { status: 400, answer: 'there is content in this language already' };
    const vendorId = `t${++made}`;
    const { examples: _, ...content } = given;
    templates.set(vendorId, { ...content, vendorId, status: 'pending', reason: null });
    return { status: 200, answer: { vendorId, status: 'pending' } };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    asked.push(`${request.method} ${request.url}`);
    const mood = moods.shift();
    if (mood === 'hang') await new Promise<void>((resolve) => hanging.push(resolve));
    if (mood === 'refuse') return void response.writeHead(400).end(JSON.stringify('not in this tone'));
    if (mood === 'busy') return void response.writeHead(500).end(JSON.stringify('too busy'));
    const { status, answer } = act(request, body);
    if (mood === 'lose the answer') return void request.socket.destroy();
    response.writeHead(status).end(JSON.stringify(answer));
  }

  const { url } = await useHttpServer((request, response) => void respond(request, response));
  return {
    url,
    templates,
    asked,
    moods,
    release: () => {
      for (const go of hanging.splice(0)) go();
    },
  };
}

async function ask(
  method: string,
  path: string,
  body: unknown,
  { config }: AdapterChannel,
  context: AdapterContext,
  // biome-ignore lint/suspicious/noExplicitAny: the vendor's answers have every shape
): Promise<any> {
  const response: OutboundResponse = await context.request({
    url: `${config.baseUrl}${path}`,
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    deadlineMs: 5_000,
    maxResponseBytes: 1024 * 1024,
  });
  const answer = JSON.parse(response.body.toString('utf8'));
  if (response.status >= 400)
    throw new VendorFailure(String(response.status), answer, response.status >= 500);
  return answer;
}

/** The adapter of that vendor. */
export const templateVendorAdapter: Adapter = {
  provider: 'reviewer',
  kinds: ['whatsapp'],
  perSecond: null,
  perContactMs: 0,
  reply: { contentType: 'text/plain', body: '' },
  configure: (given, stored) => ({ ...stored, ...given }),
  check: async () => [],
  signatureHeaders: [],
  verifySignature: () => false,
  parseInbound: () => [],
  send: async () => ({ ok: false, error: { code: 'none', message: 'sends nothing' }, retry: 'never' }),
  templates: {
    list: async (channel, context) => ({
      templates: await ask('GET', '/templates', undefined, channel, context),
      leftOut: [],
    }),
    create: (template, channel, context) => ask('POST', '/templates', template, channel, context),
    update: ({ vendorId, ...template }, channel, context) =>
      ask('POST', `/templates/${vendorId}`, template, channel, context),
    remove: async ({ vendorId, name }, channel, context) => {
      await ask('DELETE', `/templates/${vendorId}/${name}`, undefined, channel, context);
    },
  },
};
