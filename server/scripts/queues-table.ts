import { queues } from '../src/queues.ts';

/** The ordering key of a queue, as the documentation calls it. */
const KEY_NAMES = {
  tenant_id: 'tenant',
  id: 'channel',
  channel_id: 'channel',
  webhook_id: 'webhook',
  automation_id: 'automation',
};

const rows = Object.values(queues).map(
  ({ queue: { name, table, orderingKey, purpose, rowsPerCall, retry } }) =>
    `| \`${name}\` | \`${table}\` | ${KEY_NAMES[orderingKey]} | ${purpose} | ${rowsPerCall} | ${retry.summary} |`,
);

/** Every queue as a row of a Markdown table. */
export const queuesTable = [
  '| Queue | Table | Ordering key | What its handler does | Rows per call | Retries |',
  '|---|---|---|---|---|---|',
  ...rows,
].join('\n');
