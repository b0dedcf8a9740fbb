import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { useHttpServer } from './listeners.ts';

export const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`;
export const TOKEN = 'an-auth-token-of-tests';
export const API_KEY = `SK${'0123456789abcdef'.repeat(2)}`;
export const API_SECRET = 'an-api-secret-of-tests';
export const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Taken {
  sid: string;
  form: URLSearchParams;
}

export interface FakeTwilio {
  url: string;
  taken: Taken[];
  /** Every request for a file, with its headers. */
  fetched: { path: string; headers: IncomingHttpHeaders }[];
  /** The answers to the next messages, which are then not accepted. */
  answerWith(...answers: (Refusal | 'break' | 'nonsense')[]): void;
  account: { status: string };
}

interface Refusal {
  status: number;
  code?: number;
  message?: string;
  headers?: Record<string, string>;
}

/** As much of Twilio as a message needs. unit/providers/twilio/send.test.ts checks it with Twilio's own client. */
export async function useTwilio(): Promise<FakeTwilio> {
  const taken: Taken[] = [];
  const fetched: FakeTwilio['fetched'] = [];
  const answers: (Refusal | 'break' | 'nonsense')[] = [];
  const account = { status: 'active' };
  const [ofAccount, ofKey] = [`${ACCOUNT}:${TOKEN}`, `${API_KEY}:${API_SECRET}`].map(
    (credentials) => `Basic ${Buffer.from(credentials).toString('base64')}`,
  );

  const { url } = await useHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const json = (status: number, body: object, headers: Record<string, string> = {}): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    };
    const refuse = ({ status, code, message = 'refused', headers }: Refusal): void =>
      json(status, { code, message, more_info: '', status }, headers);
    const path = request.url ?? '';
    if (path === '/cdn/picture') {
      fetched.push({ path, headers: request.headers });
      response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      return;
    }
    const isOfKey = request.headers.authorization === ofKey;
    if (!isOfKey && request.headers.authorization !== ofAccount)
      return refuse({ status: 401, code: 20003, message: 'Authenticate' });
    const below = `/2010-04-01/Accounts/${ACCOUNT}`;
    if (path === `${below}.json`)
      return isOfKey
        ? refuse({ status: 401, code: 20003, message: 'Authenticate' })
        : json(200, { sid: ACCOUNT, ...account });
    if (request.method === 'GET' && path === `${below}/Messages.json?PageSize=1`)
      return json(200, { messages: [], page_size: 1 });
    if (path.startsWith(`${below}/Messages/MM1/Media/`)) {
      fetched.push({ path, headers: request.headers });
      if (path.endsWith('/gone')) return refuse({ status: 404, code: 20404 });
      if (path.endsWith('/round')) response.writeHead(307, { location: path }).end();
      else response.writeHead(307, { location: '/cdn/picture' }).end();
      return;
    }
    if (request.method !== 'POST' || path !== `${below}/Messages.json`)
      return refuse({ status: 404, code: 20404 });
    const answer = answers.shift();
    if (answer !== undefined && typeof answer !== 'string') return refuse(answer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    if (!form.has('Body') && !form.has('MediaUrl'))
      return refuse({ status: 400, code: 21619, message: 'A text or media is needed' });
    const sid = `SM${randomUUID().replaceAll('-', '')}`;
    taken.push({ sid, form });
    if (answer === 'break') request.socket.destroy();
    else if (answer === 'nonsense') response.writeHead(201).end('<html>');
    else
      json(201, {
        sid,
        account_sid: ACCOUNT,
        to: form.get('To'),
        from: form.get('From'),
        body: form.get('Body'),
        status: 'queued',
        num_media: String(form.getAll('MediaUrl').length),
        error_code: null,
        error_message: null,
      });
  });
  return {
    url,
    taken,
    fetched,
    account,
    answerWith: (...given) => void answers.push(...given),
  };
}
