import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageStatuses } from '../../src/messages/schema.ts';
import { statusAfter, statusRank } from '../../src/messages/status.ts';

const status = fc.constantFrom(...messageStatuses);

describe('the status of a message', () => {
  it('goes from queued over sent and delivered to read', () => {
    expect(statusAfter('queued', 'sent')).toBe('sent');
    expect(statusAfter('sent', 'delivered')).toBe('delivered');
    expect(statusAfter('delivered', 'read')).toBe('read');
    expect(statusAfter('queued', 'read')).toBe('read');
  });

  it('is failed only before it was delivered', () => {
    expect(statusAfter('queued', 'failed')).toBe('failed');
    expect(statusAfter('sent', 'failed')).toBe('failed');
    expect(statusAfter('delivered', 'failed')).toBe('delivered');
    expect(statusAfter('read', 'failed')).toBe('read');
  });

  it('R11: never moves back, and ends the same in whatever order it is told', () => {
    fc.assert(
      fc.property(fc.array(status), fc.array(status), (told, again) => {
        let current: (typeof messageStatuses)[number] = 'queued';
        for (const next of told) {
          const after = statusAfter(current, next);
          expect(statusRank[after]).toBeGreaterThanOrEqual(statusRank[current]);
          current = after;
        }
        const end = [...told].sort().reduce(statusAfter, 'queued');
        expect(current).toBe(end);
        expect([...told, ...again].reduce(statusAfter, 'queued')).toBe(again.reduce(statusAfter, current));
      }),
    );
  });
});
