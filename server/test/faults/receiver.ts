import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { useHttpServer } from '../kit/listeners.ts';

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

/** What a receiver does with a complete request: it answers, or keeps the response for later. */
export type Behaviour = (delivered: Delivered, response: ServerResponse, request: IncomingMessage) => void;

export interface FaultReceiver {
  /** The URL of a tenant's webhook. `trust` sets its secret, which is known later. */
  url(name: string): string;
  trust(name: string, secret: string): void;
  readonly byId: ReadonlyMap<string, Delivered>;
  readonly arrivals: number;
  /** What was wrong with deliveries: a bad signature, or other bytes under a known id. */
  readonly issues: readonly string[];
  behave(behaviour: Behaviour): void;
}

export const answerAtOnce: Behaviour = (_delivered, response) => void response.writeHead(204).end();

/**
 * Like real receivers: mostly quick, sometimes slow or failing, rarely gone. An event fails at most once, because the pause
 * after a second failure is five minutes.
 */
const answerUnreliably: Behaviour = (delivered, response, request) => {
  const chance = delivered.at.length > 1 ? 1 : Math.random();
  if (chance < 0.005) request.socket.destroy();
  else if (chance < 0.03) response.writeHead(500).end('not now');
  else if (chance < 0.08) setTimeout(() => response.writeHead(200).end(), 100 + Math.random() * 700);
  else response.writeHead(200).end('ok');
};

/** A real HTTP server that notes every delivery and verifies its signature with an independent implementation. */
export async function useFaultReceiver(behaviour: Behaviour = answerUnreliably): Promise<FaultReceiver> {
  const byId = new Map<string, Delivered>();
  const verifiers = new Map<string, Webhook>();
  const issues: string[] = [];
  let arrivals = 0;
  let behave = behaviour;

  function note(name: string, request: IncomingMessage, text: string): Delivered {
    arrivals += 1;
    const id = String(request.headers['webhook-id']);
    try {
      verifiers.get(name)?.verify(text, request.headers as Record<string, string>);
    } catch (error) {
      issues.push(`${id} is badly signed: ${(error as Error).message}`);
    }
    let known = byId.get(id);
    if (!known) {
      known = { event: JSON.parse(text) as DeliveredEvent, text, at: [] };
      byId.set(id, known);
      if (known.event.id !== id) issues.push(`${id} carries the event ${known.event.id}`);
    } else if (known.text !== text) issues.push(`${id} came again with another body`);
    known.at.push(performance.now());
    return known;
  }

  const listener = await useHttpServer((request, response) => {
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
  return {
    url: (name) => `${listener.url}/${name}`,
    trust: (name, secret) => void verifiers.set(name, new Webhook(secret)),
    byId,
    get arrivals() {
      return arrivals;
    },
    issues,
    behave(next) {
      behave = next;
    },
  };
}
