import { describe, expect, it } from 'vitest';
import { formatInZone, fromLocal, toLocal } from '../../../../console/src/screens/campaigns/wizard/times.ts';

describe('the time of a campaign', () => {
  it('is shown as the clocks of its zone show it, with the zone', () => {
    const shown = formatInZone('2026-11-18T23:30:00Z', 'Europe/Berlin', 'en');
    expect(shown.replace(/\s/g, ' ')).toBe('Nov 19, 2026, 12:30 AM (Europe/Berlin)');
    expect(formatInZone('2026-11-18T23:30:00Z', 'America/New_York', 'de')).toBe(
      '18.11.2026, 18:30 (America/New York)',
    );
  });

  it('is the same moment after it was edited, also when clocks change', () => {
    for (const moment of ['2026-10-25T03:30:00.000Z', '2026-11-18T08:00:00.000Z', '2026-03-29T01:00:00.000Z'])
      expect(fromLocal(toLocal(moment, 'Europe/Berlin'), 'Europe/Berlin')).toBe(moment);
  });
});
