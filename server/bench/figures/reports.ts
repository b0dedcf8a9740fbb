import type { Bare, Case, Side, Workload } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { withoutForeignKeys } from '../seed.ts';
import { shardOf } from '../shards.ts';
import { createSandboxChannel, type Target, type Tenant } from '../target.ts';
import { hasNoRows, waitUntil } from '../wait.ts';
import { chargeServer, postBytes } from '../workload.ts';

/** 417 in each hour. Storing and counting a million would take longer than all rounds: `--scale 3` does. */
const MESSAGES = 300_000;
const CHATS = 5_000;
const DAYS = 30;
/** Counting hours beside it may cost the line of inbound messages so much. */
const INBOUND_GOAL = 0.97;
/** As if 3,600 tenants with so many messages shared one server: each counts an hour every hour. */
const HOURS_PER_SECOND = 1;

/** Chats in which a customer and a user write in turns, evenly over all days. */
const seedMessages = (count: number): string[] => [
  `create temporary table seeded as
     select n, uuidv7() as contact_id, uuidv7() as handle_id, uuidv7() as chat_id from generate_series(1, ${CHATS}) as n`,
  `insert into contacts (id, tenant_id, is_subscribed, metadata, created_at, updated_at)
   select contact_id, $1, true, '{}', now() - interval '${DAYS} days', now() from seeded`,
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select handle_id, $1, contact_id, 'phone_number', '+1777' || lpad(n::text, 7, '0'), true, '{}', now(), now() from seeded`,
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
   select chat_id, $1, $2, contact_id, handle_id, 'open', now() - interval '${DAYS} days', now() from seeded`,
  `insert into chat_changes (id, tenant_id, chat_id, channel_id, change, at)
   select uuidv7(), $1, chat_id, $2, 'opened', now() - interval '${DAYS} days' from seeded`,
  `update channels set created_at = now() - interval '${DAYS + 1} days' where tenant_id = $1 and id = $2`,
  `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, author_id, type, text, media, content, status,
                         timestamp, created_at, updated_at)
   select uuidv7(), $1, s.chat_id, $2, s.contact_id, case when m.turn % 2 = 0 then 'inbound' else 'outbound' end,
          case when m.turn % 2 = 0 then 'contact' else 'user' end, case when m.turn % 2 = 1 then md5((m.n % 20)::text)::uuid end, 'text',
          'Is this still available?', '[]', '{}', 'sent', m.at, m.at, m.at
     from (select n, n / ${CHATS} as turn,
                  now() - interval '${DAYS} days' + n * (interval '${DAYS} days' / ${count}::float8) as at
             from generate_series(0, ${count} - 1) as n) m
     join seeded s on s.n = 1 + m.n % ${CHATS}`,
  'drop table seeded',
  'vacuum analyze messages, chats, chat_changes, channels',
];

const UNCOUNTED = `select 1 from report_marks where tenant_id = $1 and due_at = '-infinity' limit 1`;

/** Marks a period to be counted, as an erasure does. */
const mark = (
  { db, tenantId }: Pick<Target, 'db' | 'tenantId'>,
  from: string,
  to: string,
): Promise<unknown> =>
  db.query(
    `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
     select uuidv7(), $1, date_bin('1 hour', ${from}, 'epoch'), date_bin('1 hour', ${to}, 'epoch') + interval '1 hour', false, $2,
            '-infinity', now()`,
    [tenantId, shardOf(tenantId)],
  );

/** Messages of customers to one server: with a busy hour of another tenant counted every second, and without. */
async function createInboundCase(target: Target, seeded: Tenant): Promise<Case> {
  const channelId = await createSandboxChannel(target, { name: 'Beside', address: '+15550009996' });
  const requests = Array.from({ length: 50 }, (_, n) =>
    postBytes(target, `/v3/sandbox/${channelId}/inbound`, {
      from: `+1446${String(n).padStart(7, '0')}`,
      text: 'Is this still available?',
    }),
  );
  const isDone = () =>
    hasNoRows(target.db, 'select 1 from inbound where channel_id = $1 and due_at is not null limit 1', [
      channelId,
    ]);
  const run: Workload['run'] = async (count) => {
    const startedAt = performance.now();
    await sendRequests(target.server.port, count, requests);
    await waitUntil(isDone);
    return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
  };
  const without: Bare = {
    title: '  as a part of the throughput without',
    goal: INBOUND_GOAL,
    create: async () => ({ ...chargeServer(target), run }),
  };
  return {
    title: 'inbound while an hour is counted every second',
    warmUp: 500,
    // Two rounds of the same work differ by more than the goal: the median of many does not.
    effort: { rounds: 9 },
    ours: {
      ...chargeServer(target),
      async run(count) {
        let hour = 1;
        const marks = { db: target.db, tenantId: seeded.tenantId };
        const timer = setInterval(() => {
          hour = 1 + (hour % (DAYS * 24 - 1));
          void mark(marks, `now() - interval '${hour} hours'`, `now() - interval '${hour} hours'`);
        }, 1_000 / HOURS_PER_SECOND);
        try {
          return await run(count);
        } finally {
          clearInterval(timer);
        }
      },
    },
    bares: [without],
  };
}

/** A report of all days against one bare statement that counts the messages of the same days. */
function createReportCase(target: Target, { tenantId, token }: Tenant, count: number): Case {
  const day = 86_400_000;
  const to = new Date((Math.floor(Date.now() / day) + 1) * day);
  const from = new Date(to.getTime() - (DAYS + 1) * day);
  const body = { name: 'volumes', from, to, interval: 'day', groupBy: 'channel' };
  const request = postBytes({ ...target, token }, '/v3/reports/search', body);
  return {
    title: `report of ${DAYS} days, ${count.toLocaleString('en')} messages`,
    warmUp: 5,
    effort: { seconds: 0.5 },
    restarts: 'never',
    ours: {
      ...chargeServer(target),
      run: (operations) => sendRequests(target.server.port, operations, [request], 1),
    },
    bares: [
      {
        title: '  as a multiple of a bare count of the messages',
        create: async () => ({
          processes: () => ({ postmaster: target.postmasterPid }),
          async run(operations) {
            const startedAt = performance.now();
            for (let done = 0; done < operations; done += 1)
              await target.db.query(
                `select date_trunc('day', created_at) as day, channel_id, count(*) from messages
                  where tenant_id = $1 and created_at >= $2 and created_at < $3 group by 1, 2`,
                [tenantId, from, to],
              );
            return { operations, seconds: (performance.now() - startedAt) / 1000 };
          },
        }),
      },
    ],
  };
}

/** What counting costs others, and how long a report takes. */
export async function createReports({ getTarget, scale }: Side): Promise<Case[]> {
  const target = await getTarget();
  const seeded = await target.createTenant();
  const channelId = await createSandboxChannel(seeded, { name: 'Reports', address: '+15550009995' });
  const count = Math.round(MESSAGES * scale);
  await withoutForeignKeys(target.db, async () => {
    for (const text of seedMessages(count))
      await target.db.query(
        text,
        text.includes('$2') ? [seeded.tenantId, channelId] : text.includes('$1') ? [seeded.tenantId] : [],
      );
  });
  const begun = performance.now();
  // In parts, because each may take minutes on a small machine.
  for (let day = DAYS; day > 0; day -= 10) {
    const part = { db: target.db, tenantId: seeded.tenantId };
    await mark(part, `now() - interval '${day} days'`, `now() - interval '${day - 10} days'`);
    await waitUntil(() => hasNoRows(target.db, UNCOUNTED, [seeded.tenantId]), 50);
  }
  console.log(
    `counted ${count.toLocaleString('en')} messages in ${Math.round((performance.now() - begun) / 1000)} s`,
  );
  await target.db.query('vacuum analyze report_figures');
  return [await createInboundCase(target, seeded), createReportCase(target, seeded, count)];
}
