import { request as httpRequest } from 'node:http';
import { freePort, useHttpServer } from './listeners.ts';

interface ReverseProxy {
  /** What browsers open, with the path. */
  url: string;
  /** Where the server behind it must listen. */
  port: number;
  /** Requests outside of the path. A page that makes one forgets the path. */
  strayed: string[];
}

/** A reverse proxy for one path, which it removes, as `location /parley/ { proxy_pass http://127.0.0.1:3000/; }` of nginx does. */
export async function useReverseProxy(path: string): Promise<ReverseProxy> {
  const port = await freePort();
  const strayed: string[] = [];
  const { url } = await useHttpServer((incoming, answer) => {
    const asked = incoming.url ?? '/';
    if (asked !== path && !asked.startsWith(`${path}/`) && !asked.startsWith(`${path}?`)) {
      strayed.push(`${incoming.method} ${asked}`);
      answer.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
      return;
    }
    const rest = asked.slice(path.length);
    const outgoing = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method: incoming.method,
        path: rest.startsWith('/') ? rest : `/${rest}`,
        headers: incoming.headers,
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        answer.flushHeaders();
        response.pipe(answer);
      },
    );
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return { url: `${url}${path}`, port, strayed };
}
