import { request } from 'undici';
import { type Program, startBare } from './processes.ts';
import { TIMEOUT_MS } from './wait.ts';

/** A program that accepts webhooks and counts them. */
export interface Receiver {
  url: string;
  /** The number of webhooks so far, as soon as there are at least so many. Polling would take the receiver's time. */
  countAtLeast(least: number): Promise<number>;
  stop: Program['stop'];
}

export async function startReceiver(): Promise<Receiver> {
  const { port, stop } = await startBare('receiver');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async countAtLeast(least) {
      const { body } = await request(`${url}/${least}`, { headersTimeout: TIMEOUT_MS });
      return Number(await body.text());
    },
    stop,
  };
}
