import { expect, it } from 'vitest';
import { drawBar, showProgress } from '../../../src/cli/progress-bar.ts';
import { plain, short, tableLines } from '../../../src/cli/text.ts';
import { treeLines } from '../../../src/cli/trace.ts';

it('a bar shows how far something is and fits into the terminal', () => {
  const progress = { done: 3_000, total: 10_000, failed: 2, perSecond: 1_234.5 };
  expect(drawBar(progress, 120)).toBe(
    '[#########---------------------]  30 %  3,000 of 10,000 rows  1,235 rows/s  2 with issues',
  );
  expect(drawBar(progress, 40)).toHaveLength(39);
  expect(drawBar({ ...progress, total: null, perSecond: Number.NaN }, 120)).toContain('0 %  counting rows');
  expect(drawBar({ ...progress, done: 20_000 }, 120)).toContain('100 %');
});

it('a bar is drawn over itself on a terminal; elsewhere each line is printed once', () => {
  const progress = { done: 0, total: 10, failed: 0, perSecond: 0 };
  const written = (isTTY: boolean): string => {
    let text = '';
    const bar = showProgress({ isTTY, columns: 100, write: (part) => (text += part) });
    bar.update(progress);
    bar.update(progress);
    bar.clear();
    return text;
  };
  expect(written(true).split('\r\u001b[K')).toHaveLength(4);
  expect(written(false)).toBe('0 of 10 rows\n');
});

it('texts of others cannot control the terminal', () => {
  expect(plain('a\u001b]0;x\u0007b\r\nc\u009bd\u202ee')).toBe('a ]0;x b c d e');
  expect(short('😀'.repeat(100), 10)).toBe(`${'😀'.repeat(9)}…`);
  expect(short('x'.repeat(10_000_000), 10)).toBe('xxxxxxxxx…');
});

it('tables are aligned', () => {
  expect(
    tableLines(
      ['A', 'B'],
      [
        ['long', 'x'],
        ['😀', 'y'],
      ],
    ),
  ).toEqual(['A     B', 'long  x', '😀     y']);
});

it('a trace is drawn as a tree', () => {
  const node = {
    at: 't',
    status: null,
    updatedAt: null,
    vendorId: null,
    error: null,
    causedBy: null,
    sender: null,
    campaignId: null,
    hasContinued: false,
    text: null,
    contactId: null,
    chatId: null,
    automationId: null,
    webhookId: null,
  };
  const nodes = [0, 1, 2, 2, 1].map((depth, index) => ({
    ...node,
    type: 'event' as const,
    id: String(index),
    depth,
    summary: 'x',
  }));
  expect(treeLines('3', { nodes }).map((line) => line.replace('event x  t', ''))).toEqual([
    '  0',
    '├─   1',
    '│  ├─   2',
    '│  └─   3  ← this',
    '└─   4',
  ]);
});
