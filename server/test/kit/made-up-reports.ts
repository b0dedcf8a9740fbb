import type { Page } from 'playwright-core';
import { randomFrom } from './reports.ts';

const DAY_MS = 86_400_000;
const AGENTS = ['Ada Lovelace', 'Sam Rivera', 'Grace Hopper', 'Mina Park'];
const CHANNELS = ['WhatsApp', 'Text messages', 'Mail', 'Instagram'];

interface Asked {
  name: string;
  from: string;
  to: string;
  interval?: string;
  groupBy?: string;
}

/** For pictures: answers of reports with figures of weeks, because a demo is a minute old. Nothing is tested with them. */
export async function makeUpReports(page: Page): Promise<void> {
  await page.route('**/v3/reports/search', async (route) => {
    const asked = route.request().postDataJSON() as Asked;
    await route.fulfill({ json: { success: true, data: rowsOf(asked) } });
  });
}

function rowsOf({ name, from, to, interval, groupBy }: Asked): object[] {
  const random = randomFrom(Date.parse(from) / DAY_MS + name.length);
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  const size = interval === 'hour' ? DAY_MS / 24 : DAY_MS;
  const groups = groupBy === 'user' ? AGENTS : groupBy === 'channel' ? CHANNELS : [null];
  if (groupBy === 'campaign' || groupBy === 'automation') return [];
  const count = interval === undefined ? 1 : (days * DAY_MS) / size;
  return Array.from({ length: count }, (_, index) => index).flatMap((index) =>
    groups.map((group, position) => {
      const at = new Date(Date.parse(from) + index * size);
      const isWeekend = interval === 'day' && [0, 6].includes(at.getUTCDay());
      const factor = (interval === undefined ? days : 1) * (isWeekend ? 0.35 : 1) * (1 - position * 0.2);
      const about = (value: number): number => Math.round(value * factor * (0.8 + random(400) / 1000));
      const seconds = (value: number): number => Math.round(value * (0.7 + random(600) / 1000));
      return {
        at: at.toISOString(),
        group: group === null ? null : { id: group, name: group },
        received: about(140),
        sent: about(118),
        failed: about(1.4),
        opened: about(23),
        reopened: about(9),
        closed: about(29),
        replies: about(30),
        firstResponses: about(8),
        firstResponseAverageSeconds: seconds(900),
        firstResponseMedianSeconds: seconds(420 * (1 + position)),
        firstResponseP90Seconds: seconds(2400 * (1 + position)),
        laterResponses: about(14),
        laterResponseAverageSeconds: seconds(600),
        laterResponseMedianSeconds: seconds(180),
        laterResponseP90Seconds: seconds(1300),
      };
    }),
  );
}
