import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

interface DeliveredEvent {
  id: string;
  type: string;
  tenantId: string;
  sequence: number;
  // biome-ignore lint/suspicious/noExplicitAny: the checker looks into payloads of every shape
  data: any;
}

/** Everything that arrived under one `webhook-id`. */
export interface Delivered {
  event: DeliveredEvent;
  text: string;
  /** When each arrival was, in milliseconds of this process. */
  at: number[];
}

/** What a receiver does with a request that has arrived whole: it answers by itself, or says nothing yet. */
export type Behaviour = (delivered: Delivered, response: ServerResponse, request: IncomingMessage) => void;

export interface FaultReceiver {
  /** Where a tenant's webhook points; its secret is told with `trust` once it is known. */
  url(name: string): string;
  trust(name: string, secret: string): void;
  readonly byId: ReadonlyMap<string, Delivered>;
  readonly arrivals: number;
  /** What was wrong with what arrived: a bad signature, or other bytes under a known id. */
  readonly faults: readonly string[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export const answerAtOnce: Behaviour = (_delivered, response) => void response.writeHead(204).end();

/**
 * A receiver as they are: mostly quick, now and then slow or failing, rarely gone. It fails an event at most once,
 * because the pause after a second failure is five minutes.
 */
const answerAsTheyDo: Behaviour = (delivered, response, request) => {
  const chance = delivered.at.length > 1 ? 1 : Math.random();
  if (chance < 0.005) request.socket.destroy();
  else if (chance < 0.03) response.writeHead(500).end('not now');
  else if (chance < 0.08) setTimeout(() => response.writeHead(200).end(), 100 + Math.random() * 700);
  else response.writeHead(200).end('ok');
};

/** A real HTTP server that notes every delivery and lets an independent implementation judge its signature. */
export async function startReceiver(behaviour: Behaviour = answerAsTheyDo): Promise<FaultReceiver> {
  const byId = new Map<string, Delivered>();
  const verifiers = new Map<string, Webhook>();
  const faults: string[] = [];
  let arrivals = 0;
  let behave = behaviour;

  function note(name: string, request: IncomingMessage, text: string): Delivered {
    arrivals += 1;
    const id = String(request.headers['webhook-id']);
    try {
      verifiers.get(name)?.verify(text, request.headers as Record<string, string>);
    } catch (error) {
      faults.push(`${id} is badly signed: ${(error as Error).message}`);
    }
    let known = byId.get(id);
    if (!known) {
      known = { event: JSON.parse(text) as DeliveredEvent, text, at: [] };
      byId.set(id, known);
      if (known.event.id !== id) faults.push(`${id} carries the event ${known.event.id}`);
    } else if (known.text !== text) faults.push(`${id} came again with another body`);
    known.at.push(performance.now());
    return known;
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      behave(note((request.url ?? '').slice(1), request, text), response, request);
    });
    // Senders are killed while they write.
    request.on('error', () => {});
    response.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    trust: (name, secret) => void verifiers.set(name, new Webhook(secret)),
    byId,
    get arrivals() {
      return arrivals;
    },
    faults,
    behave(next) {
      behave = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
