import { type Client, createClient } from '@parley/sdk';

/** The path of a reverse proxy before `/console`; mostly empty. */
export const basePath = document.documentElement.dataset.base ?? '';

let tenantId: string | undefined;
/** The tenant that all requests of this page are for. */
export function setTenantForRequests(id: string): void {
  tenantId = id;
}

const underWay = new Set<Promise<unknown>>();
let isClosed = false;

/** What is sent while the client is closed gets no answer: the page is about to be left. */
const send: typeof fetch = (input, init) => {
  if (isClosed) return new Promise(() => {});
  const answer = fetch(input, init);
  const forget = (): boolean => underWay.delete(answer);
  underWay.add(answer);
  answer.then(forget, forget);
  return answer;
};

/** A server that does not answer must not keep anybody from logging out. */
const ANSWERS_MS = 3_000;

/** Sends nothing more, and waits for the answers to what was sent. */
export async function closeClient(): Promise<void> {
  isClosed = true;
  await Promise.race([
    Promise.allSettled(underWay),
    new Promise((resolve) => setTimeout(resolve, ANSWERS_MS)),
  ]);
}
export function reopenClient(): void {
  isClosed = false;
}

/** What every function of `@parley/sdk` gets first. The browser adds the cookie of the session. */
export const client: Client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'parley-tenant': tenantId }),
  fetch: send,
});

/** For what concerns the person in no tenant, also after `client` was closed. */
export const personClient: Client = createClient({ baseUrl: basePath });
