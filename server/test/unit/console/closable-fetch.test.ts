import { describe, expect, it } from 'vitest';
import { createClosableFetch } from '../../../../console/src/api/closable-fetch.ts';

describe('requests while somebody logs out', () => {
  it('wait, and are sent when that has failed', async () => {
    const sent: string[] = [];
    const requests = createClosableFetch(async (input) => {
      sent.push(String(input));
      return new Response(String(input));
    });
    await requests.send('before');
    await requests.close();
    const meanwhile = requests.send('meanwhile');
    expect(sent).toEqual(['before']);
    requests.open();
    expect(await (await meanwhile).text()).toBe('meanwhile');
    await requests.send('after');
    expect(sent).toEqual(['before', 'meanwhile', 'after']);
  });

  it('are answered before it is closed, if they were sent before', async () => {
    let answer = (): void => {};
    const requests = createClosableFetch(
      () =>
        new Promise((resolve) => {
          answer = () => resolve(new Response());
        }),
    );
    const sent = requests.send('slow');
    let isClosed = false;
    const closing = requests.close().then(() => {
      isClosed = true;
    });
    await Promise.resolve();
    expect(isClosed).toBe(false);
    answer();
    await sent;
    await closing;
    expect(isClosed).toBe(true);
  });
});
