/** A server that does not answer must not keep anybody from logging out. */
const ANSWERS_MS = 3_000;

interface ClosableFetch {
  send: typeof fetch;
  /** Sends nothing more, and waits for the answers to what was sent. */
  close(): Promise<void>;
  /** Sends what was asked for meanwhile. */
  open(): void;
}

/** Requests that can be held back: while it is closed they wait, as the page is about to be left. */
export function createClosableFetch(request: typeof fetch): ClosableFetch {
  const underWay = new Set<Promise<unknown>>();
  let opened: Promise<void> | undefined;
  let open = (): void => {};
  const send: typeof fetch = (input, init) => {
    if (opened) return opened.then(() => send(input, init));
    const answer = request(input, init);
    const forget = (): boolean => underWay.delete(answer);
    underWay.add(answer);
    answer.then(forget, forget);
    return answer;
  };
  return {
    send,
    async close() {
      opened ??= new Promise((resolve) => {
        open = resolve;
      });
      await Promise.race([
        Promise.allSettled(underWay),
        new Promise((resolve) => setTimeout(resolve, ANSWERS_MS)),
      ]);
    },
    open() {
      opened = undefined;
      open();
    },
  };
}
