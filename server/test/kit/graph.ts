import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdapterContext } from '../../src/providers/adapter-context.ts';
import { useHttpServer } from './listeners.ts';
import { useOutboundClient } from './outbound-client.ts';

/** How the next request fails: with an error of Meta, with a status only, or without a valid answer. */
type GraphTrouble =
  | {
      status: number;
      code?: number;
      subcode?: number;
      message?: string;
      details?: string;
      retryAfter?: number;
    }
  /** Answers 200 without JSON. */
  | 'garbage'
  /** Reads the request and never answers. */
  | 'silence'
  /** Reads the request and breaks the connection. */
  | 'reset';

interface GraphRequest {
  method: string;
  /** Without the version. */
  path: string;
  version: string;
  query: Record<string, string>;
  authorization: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  json: any;
}

interface StoredFile {
  bytes: Buffer;
  mimeType: string;
  filename: string;
}

/** A server like Meta's: numbers, messages, files, templates and accounts, as far as adapters use them. */
export interface FakeGraph {
  url: string;
  token: string;
  phoneNumberId: string;
  businessAccountId: string;
  accountId: string;
  appId: string;
  requests: GraphRequest[];
  /** The bodies of the accepted messages, including those that were never answered. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  taken: any[];
  /** Read receipts and typing indicators. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  signals: any[];
  /** The profiles of people on Instagram by their id. */
  profiles: Map<string, { name?: string; username?: string; profile_pic?: string }>;
  files: Map<string, StoredFile>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  templates: any[];
  /** The URL of a stored file, which needs no token. */
  publicUrl(id: string): string;
  /** Accounts with an app that is subscribed to them. */
  subscribed: Set<string>;
  /** How the next requests fail, one each; null is no failure. */
  trouble(...next: (GraphTrouble | null)[]): void;
}

const PAGE = 2;

class Refusal extends Error {
  readonly status: number;
  readonly error: Record<string, unknown>;
  constructor(status: number, code: number, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.error = { message, type: 'OAuthException', code, fbtrace_id: 'Atrace', ...more };
  }
}

const unknownObject = (id: string): Refusal =>
  new Refusal(400, 100, `(#100) Unsupported request. Object with ID '${id}' does not exist.`, {
    error_subcode: 33,
  });

export async function useGraph(): Promise<FakeGraph> {
  const next: (GraphTrouble | null)[] = [];
  let ids = 0;
  const graph: FakeGraph = {
    url: '',
    token: 'EAAtoken',
    phoneNumberId: '1122334455667',
    businessAccountId: '102290129340398',
    accountId: '17841400000000000',
    appId: '4242',
    requests: [],
    taken: [],
    signals: [],
    profiles: new Map(),
    files: new Map(),
    templates: [],
    publicUrl: (id) => `${graph.url}/public/${id}`,
    subscribed: new Set(['102290129340398', 'me']),
    trouble: (...troubles) => void next.push(...troubles),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const url = new URL(request.url ?? '', graph.url);
    const [, version = '', ...rest] = url.pathname.split('/');
    const path = rest.map(decodeURIComponent).join('/');
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const json = type === 'application/json' ? JSON.parse(body.toString()) : undefined;
    const method = request.method ?? '';
    const query = Object.fromEntries(url.searchParams);
    graph.requests.push({ method, path, version, query, authorization, json });
    const trouble = next.shift() ?? null;
    if (trouble === 'silence') {
      // A message without an answer may have been sent all the same.
      if (path.endsWith('/messages')) graph.taken.push(json);
      return;
    }
    if (trouble === 'reset') return void request.socket.resetAndDestroy();
    if (trouble === 'garbage') return void response.writeHead(200).end('<html>Sorry');
    if (trouble !== null) return refuse(response, trouble);
    try {
      const isPublic = version === 'public' && graph.files.get(path)?.bytes;
      const found = isPublic || (await serve({ method, path, query, authorization, json, body, type }));
      if (found instanceof Buffer) response.writeHead(200, { 'content-type': 'image/png' }).end(found);
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response.writeHead(error.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: error.error }));
    }
  }

  function refuse(response: ServerResponse, trouble: Exclude<GraphTrouble, string>): void {
    const { status, code, subcode, message = '', details, retryAfter } = trouble;
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    if (code === undefined) return void response.writeHead(status, headers).end('<html>');
    const error = {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
    };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  }

  interface Call extends Pick<GraphRequest, 'method' | 'path' | 'query' | 'authorization' | 'json'> {
    body: Buffer;
    type: string;
  }

  async function serve(call: Call): Promise<unknown> {
    const { method, path, authorization } = call;
    if (!['Bearer', 'OAuth'].some((scheme) => authorization === `${scheme} ${graph.token}`)) {
      const shown = authorization.replace(/^\w+ /, '');
      throw new Refusal(401, 190, `Malformed access token ${shown}`);
    }
    const at = `${method} ${path}`;
    const { phoneNumberId, businessAccountId, accountId, appId } = graph;
    if (at === `POST ${phoneNumberId}/messages`) return takeWhatsApp(call.json);
    if (at === `POST ${accountId}/messages`) return takeInstagram(call.json);
    if (at === `POST ${phoneNumberId}/media`) return takeFile(call);
    if (at === `GET ${phoneNumberId}`)
      return { id: phoneNumberId, display_phone_number: '+1 555-000-9999', verified_name: 'Shop' };
    if (at === `GET ${businessAccountId}/phone_numbers`) return { data: [{ id: phoneNumberId }] };
    if (at === `GET ${businessAccountId}/subscribed_apps`) return subscriptions(businessAccountId);
    if (at === 'GET me') return { user_id: accountId, username: 'shop' };
    if (at === 'GET me/subscribed_apps') return subscriptions('me');
    if (path === `${businessAccountId}/message_templates`) return onTemplates(call);
    const template = graph.templates.find(({ id }) => at === `POST ${id}`);
    if (template) return changeTemplate(template, call.json);
    if (at === `POST ${appId}/uploads`) return { id: `upload:${call.query.file_length}` };
    if (method === 'POST' && path === `upload:${call.body.length}`)
      return { h: `4::${call.body.toString()}` };
    const [id = '', isContent] = path.split('/');
    const profile = graph.profiles.get(id);
    if (method === 'GET' && profile) return { id, ...profile };
    const file = graph.files.get(id);
    if (method !== 'GET' || !file) throw unknownObject(id);
    if (isContent) return file.bytes;
    const { bytes, mimeType } = file;
    const url = `${graph.url}/v0/${id}/content`;
    return { id, url, mime_type: mimeType, sha256: '…', file_size: bytes.length };
  }

  const subscriptions = (id: string) => ({ data: graph.subscribed.has(id) ? [{ id: graph.appId }] : [] });

  // biome-ignore lint/suspicious/noExplicitAny: what was sent has every shape
  function takeWhatsApp(message: any): unknown {
    if (message.status === 'read' && message.message_id) {
      graph.signals.push(message);
      return { success: true };
    }
    if (
      message.messaging_product !== 'whatsapp' ||
      (!message.to && !message.recipient) ||
      !message[message.type]
    )
      throw new Refusal(400, 100, '(#100) Invalid parameter');
    const { id } = message[message.type];
    if (id !== undefined && !graph.files.has(id))
      throw new Refusal(400, 131053, '(#131053) Media upload error');
    graph.taken.push(message);
    const contact = message.to
      ? { input: message.to, wa_id: message.to }
      : { input: message.recipient, user_id: message.recipient };
    ids += 1;
    return { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: `wamid.${ids}` }] };
  }

  // biome-ignore lint/suspicious/noExplicitAny: what was sent has every shape
  function takeInstagram(message: any): unknown {
    const { recipient, sender_action: action } = message;
    if (recipient?.id && action && !message.message) {
      graph.signals.push(message);
      return { recipient_id: recipient.id };
    }
    if ((!recipient?.id && !recipient?.comment_id) || !message.message)
      throw new Refusal(400, 100, '(#100) Invalid parameter');
    graph.taken.push(message);
    ids += 1;
    return { recipient_id: recipient.id ?? '200000000000001', message_id: `mid.${ids}` };
  }

  async function takeFile({ body, type }: Call): Promise<unknown> {
    // An independent parser of forms.
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const file = form.get('file');
    if (form.get('messaging_product') !== 'whatsapp' || !(file instanceof Blob))
      throw new Refusal(400, 100, '(#100) Invalid parameter');
    ids += 1;
    const id = `${9_000 + ids}`;
    graph.files.set(id, {
      bytes: Buffer.from(await file.arrayBuffer()),
      mimeType: String(form.get('type')),
      filename: (file as Blob & { name: string }).name,
    });
    return { id };
  }

  // biome-ignore lint/suspicious/noExplicitAny: what was sent has every shape
  function changeTemplate(template: any, changed: any): unknown {
    // Name and language identify a template, so they cannot change.
    if (Object.keys(changed).some((key) => !['category', 'components'].includes(key)))
      throw new Refusal(400, 100, '(#100) Invalid parameter');
    Object.assign(template, changed, { status: 'PENDING' });
    return { success: true };
  }

  function onTemplates({ method, query, json }: Call): unknown {
    if (method === 'POST') {
      ids += 1;
      const template = { id: `${70_000 + ids}`, status: 'PENDING', ...json };
      graph.templates.push(template);
      return { id: template.id, status: template.status, category: template.category };
    }
    if (method === 'DELETE') {
      const at = graph.templates.findIndex(({ name, id }) => name === query.name && id === query.hsm_id);
      if (at < 0) throw new Refusal(400, 100, 'Invalid parameter', { error_subcode: 2593002 });
      graph.templates.splice(at, 1);
      return { success: true };
    }
    const from = Number(query.after ?? 0);
    const data = graph.templates.slice(from, from + PAGE);
    const isLast = from + PAGE >= graph.templates.length;
    const after = String(from + PAGE);
    return {
      data,
      paging: { cursors: { before: String(from), after }, ...(isLast ? {} : { next: 'https://…' }) },
    };
  }

  const { url } = await useHttpServer((request, response) => {
    void answer(request, response).catch((error) => response.destroy(error));
  });
  graph.url = url;
  return graph;
}

/** The context of adapters: the real guarded client, which may reach this machine, with a short deadline. */
export function useGraphContext(now = new Date('2026-11-15T01:02:03.456Z')): AdapterContext {
  const client = useOutboundClient();
  const absent = (): never => {
    throw new Error('Meta is reached over HTTP and by nothing else.');
  };
  return {
    now: () => now,
    request: (request) => client.request({ ...request, deadlineMs: Math.min(request.deadlineMs, 1_000) }),
    connect: absent,
    callbackUrl: absent,
    resolve: absent,
    accessToken: absent,
    sandbox: { accept: absent, find: absent, readFile: absent },
  };
}
