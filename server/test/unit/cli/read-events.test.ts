import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from '../../../src/cli/read-events.ts';

async function* pieces(bytes: Uint8Array, cuts: number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function read(text: string, cuts: number[] = []): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(pieces(new TextEncoder().encode(text), cuts))) events.push(event);
  return events;
}

describe('reading server-sent events', () => {
  it('parses ids, types, data of several lines, comments and heartbeats', async () => {
    const text = `retry: 1000\nid: 7\n\n: alive\n\nid: 8\nevent: chat.read\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\n`;
    expect(await read(text)).toEqual([
      { id: '7', type: 'message', data: '' },
      { id: undefined, type: 'message', data: '' },
      { id: '8', type: 'chat.read', data: '{"a":\n1}' },
      { id: undefined, type: 'message', data: 'x' },
    ]);
  });

  it('ignores an incomplete event', async () => {
    expect(await read('id: 1\ndata: whole\n\nid: 2\ndata: ha')).toHaveLength(1);
    expect(await read('id: 1\ndata: whole\n\nid: 2\ndata: half\n')).toHaveLength(1);
  });

  it('parses the same for any chunks of bytes', async () => {
    const text =
      'id: 1\nevent: chat.read\ndata: {"text":"Grüße, 😀"}\n\n: ✓\nid: 2\n\nid: 3\r\ndata: ü\r\n\r\n';
    const whole = await read(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 40 }), async (cuts) => {
        expect(await read(text, cuts)).toEqual(whole);
      }),
    );
  });
});
