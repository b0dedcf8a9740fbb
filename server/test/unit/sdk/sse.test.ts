import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, blockReader } from '../../../../sdk/src/sse.ts';

/** Reads a text that arrives in pieces, cut between any two bytes. */
function read(text: string, cuts: number[] = []): Block[] {
  const bytes = new TextEncoder().encode(text);
  const blocksOf = blockReader();
  const decoder = new TextDecoder();
  const ends = [...cuts.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends.flatMap((end, index) =>
    blocksOf(decoder.decode(bytes.subarray(ends[index - 1] ?? 0, end), { stream: true })),
  );
}

describe('reading server-sent events', () => {
  it('finds ids, data of several lines, comments and heartbeats', () => {
    const text = `retry: 1000\nid: 7\n\n: alive\n\nid: 8\nevent: chat.read\ndata: {"a":\ndata: 1}\n\ndata:x\r\n\r\n`;
    expect(read(text)).toEqual([
      { id: '7', retryMs: 1000 },
      {},
      { id: '8', data: '{"a":\n1}' },
      { data: 'x' },
    ]);
  });

  it('ignores an incomplete event and fields that mean nothing', () => {
    expect(read('id: 1\ndata: whole\n\nid: 2\ndata: ha')).toHaveLength(1);
    expect(read('id: 1\ndata: whole\n\nid: 2\ndata: half\n')).toHaveLength(1);
    expect(read('retry: soon\n__proto__: x\nid\n\n')).toEqual([{ id: '' }]);
  });

  it('keeps texts whole that contain line separators of Unicode', () => {
    const data = JSON.stringify({ text: 'one\u2028two\u2029three\u0085four' });
    expect(read(`id: 1\ndata: ${data}\n\n`)).toEqual([{ id: '1', data }]);
  });

  it('finds the same for any pieces', () => {
    const text =
      'id: 1\nevent: chat.read\ndata: {"text":"Grüße, 😀"}\n\n: ✓\nid: 2\n\nid: 3\r\ndata: ü\r\n\r\n';
    const whole = read(text);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(read(text, cuts)).toEqual(whole);
      }),
    );
  });

  it('refuses an event without an end before memory does', () => {
    const blocksOf = blockReader();
    const piece = 'x'.repeat(1024 * 1024);
    expect(() => {
      for (let sent = 0; sent < 64; sent += 1) blocksOf(piece);
    }).toThrow('too long');
    const lines = blockReader();
    expect(() => {
      for (let sent = 0; sent < 64; sent += 1) lines(`data: ${piece}\n`);
    }).toThrow('too long');
  });
});
