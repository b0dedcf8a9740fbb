import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageStatuses } from '../../../src/messages/schema.ts';
import { furthestStatus, statusRank } from '../../../src/messages/status.ts';

const status = fc.constantFrom(...messageStatuses);

describe('the status of a message', () => {
  it('advances from queued to sent, delivered and read', () => {
    expect(furthestStatus('queued', 'sent')).toBe('sent');
    expect(furthestStatus('sent', 'delivered')).toBe('delivered');
    expect(furthestStatus('delivered', 'read')).toBe('read');
    expect(furthestStatus('queued', 'read')).toBe('read');
  });

  it('can only fail before it was delivered', () => {
    expect(furthestStatus('queued', 'failed')).toBe('failed');
    expect(furthestStatus('sent', 'failed')).toBe('failed');
    expect(furthestStatus('delivered', 'failed')).toBe('delivered');
    expect(furthestStatus('read', 'failed')).toBe('read');
  });

  it('R11: never moves back, and ends the same for any order of reports', () => {
    fc.assert(
      fc.property(fc.array(status), fc.array(status), (reported, again) => {
        let current: (typeof messageStatuses)[number] = 'queued';
        for (const next of reported) {
          const after = furthestStatus(current, next);
          expect(statusRank[after]).toBeGreaterThanOrEqual(statusRank[current]);
          current = after;
        }
        const end = [...reported].sort().reduce(furthestStatus, 'queued');
        expect(current).toBe(end);
        expect([...reported, ...again].reduce(furthestStatus, 'queued')).toBe(
          again.reduce(furthestStatus, current),
        );
      }),
    );
  });
});
