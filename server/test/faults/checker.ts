import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../../src/base/group-by.ts';
import { type Rows, withConnection } from './database.ts';
import type { Load, Written } from './load.ts';
import type { Delivered, FaultReceiver } from './receiver.ts';

interface StoredMessage {
  id: string;
  tenant_id: string;
  chat_id: string;
  text: string;
  vendor_id: string;
}

export interface Report {
  problems: string[];
  text: string;
}

interface CheckOptions {
  title: string;
  load: Load;
  receiver: FaultReceiver;
  databaseUrl: string;
  kills: number;
  since: number;
}

const TIMEOUT_MS = 60_000;

/** Queries that must return no rows if the database is consistent. */
const invariants: Record<string, string> = {
  'a vendor id has several messages':
    'select channel_id, vendor_id, count(*) from messages group by 1, 2 having count(*) > 1',
  'a message is not the one of its vendor id': `select m.id from messages m left join vendor_messages v
     on v.channel_id = m.channel_id and v.vendor_id = m.vendor_id and v.message_id = m.id where v.message_id is null`,
  'a vendor id has no message':
    'select v.vendor_id from vendor_messages v left join messages m on m.id = v.message_id where m.id is null',
  'an unread count is not the number of messages': `select c.id, c.unread_count, count(m.id) from chats c
     left join messages m on m.chat_id = c.id group by c.id, c.unread_count having c.unread_count <> count(m.id)`,
  'a chat does not name its latest message': `select c.id from chats c where latest_message_id is distinct from (
     select m.id from messages m where m.chat_id = c.id order by m.timestamp desc, m.id desc limit 1)`,
  'a contact has no handle or no chat': `select c.id from contacts c where
     not exists (select 1 from handles h where h.contact_id = c.id) or
     not exists (select 1 from chats t where t.contact_id = c.id)`,
  'a sequence number is missing or duplicated': `select tenant_id, sequence, count(*) from events
     group by 1, 2 having count(*) > 1 or sequence is null`,
  'a message, chat or contact does not have exactly one event': `select x.id, count(e.id) from (
       select id, 'message.received' as type from messages union all select id, 'chat.created' from chats
       union all select id, 'contact.created' from contacts) x
     left join events e on e.type = x.type and e.data::json->>'id' = x.id::text group by x.id having count(e.id) <> 1`,
  'an event does not have exactly one delivery to each webhook': `select e.id, w.id from events e
     join webhooks w on w.tenant_id = e.tenant_id left join deliveries d on d.event_id = e.id and d.webhook_id = w.id
     group by 1, 2 having count(d.id) <> 1`,
  'a delivery is not delivered': `select id, status, attempts from deliveries where status <> 'delivered'`,
  'an attempt is missing or counted twice': `select d.id, d.attempts, count(a.number) from deliveries d
     left join attempts a on a.delivery_id = d.id group by d.id, d.attempts
     having count(a.number) <> d.attempts or max(a.number) <> d.attempts`,
  'a delivery succeeded more than once': `select delivery_id from attempts where response_status between 200 and 299
     group by 1 having count(*) > 1`,
  'an inbound request was not processed': 'select id, error from inbound',
};

const numberOf = (text: string): number => Number(/^message (\d+)$/.exec(text)?.[1]);

/** Waits until every queue is empty, then compares what the clients wrote with what the receiver got. */
export async function check(options: CheckOptions): Promise<Report> {
  const { load, receiver, databaseUrl } = options;
  const problems = await waitForQueues(databaseUrl);
  const { stored, broken } = await withConnection(databaseUrl, async (query) => {
    const found: string[] = [];
    for (const [name, invariant] of Object.entries(invariants)) {
      const rows = await query(invariant);
      if (rows.length > 0) found.push(`${name}: ${rows.length}, such as ${JSON.stringify(rows[0])}`);
    }
    const messages = await query('select id, tenant_id, chat_id, text, vendor_id from messages order by id');
    return { stored: messages as unknown as StoredMessage[], broken: found };
  });
  problems.push(...broken, ...receiver.issues);

  const arrived = [...receiver.byId.values()].filter(({ event }) => event.type === 'message.received');
  const lost = load.written.filter((write) => write.outcome === 'ok' && !hasArrived(write, arrived));
  const invented = findInvented(load, stored, arrived);
  problems.push(
    ...lost.map((write) => `lost: message ${write.number} was acknowledged and never delivered`),
    ...invented,
    ...findWrongOrder(load, stored, arrived),
  );
  if ([...load.statuses.keys()].some((status) => ![200, 409, 503].includes(status)))
    problems.push(`unexpected answers: ${JSON.stringify([...load.statuses])}`);
  return { problems, text: describe(options, lost.length, invented.length) };
}

/** Waits until every queue is empty. */
async function waitForQueues(databaseUrl: string): Promise<string[]> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [left] = await withConnection(databaseUrl, (query) =>
      query(`select (select count(*) from inbound where due_at is not null)::int as inbound,
                  (select count(*) from events where sequence is null)::int as events,
                  (select count(*) from deliveries where due_at is not null)::int as deliveries`),
    ).catch((): Rows => [{ unreachable: 1 }]);
    if (Object.values(left ?? {}).every((count) => count === 0)) return [];
    if (performance.now() > deadline) return [`work was not done: ${JSON.stringify(left)}`];
    await delay(200);
  }
}

const byNumber = new WeakMap<Delivered[], Map<number, Delivered[]>>();

/** Deliveries by the number in their text. The index of each list is built once. */
function indexByNumber(arrived: Delivered[]): Map<number, Delivered[]> {
  let index = byNumber.get(arrived);
  if (!index) {
    index = new Map();
    for (const delivered of arrived) {
      const number = numberOf(delivered.event.data.text);
      index.set(number, [...(index.get(number) ?? []), delivered]);
    }
    byNumber.set(arrived, index);
  }
  return index;
}

const hasArrived = (write: Written, arrived: Delivered[]): boolean =>
  (indexByNumber(arrived).get(write.number) ?? []).some(
    ({ event }) => event.data.vendorId === write.vendorId,
  );

/** Messages that nobody wrote, or that were written once and are stored or delivered twice. */
function findInvented(load: Load, stored: StoredMessage[], arrived: Delivered[]): string[] {
  const writes = new Map(load.written.map((write) => [write.number, write]));
  const seen = new Map<number, StoredMessage>();
  const problems: string[] = [];
  for (const message of stored) {
    const write = writes.get(numberOf(message.text));
    if (!write || write.tenantId !== message.tenant_id) problems.push(`invented: ${message.text}`);
    else if (write.outcome !== 'ok' && !write.isUncertain)
      problems.push(`invented: ${message.text} was refused with ${write.status}`);
    else if (write.outcome === 'ok' && write.vendorId !== message.vendor_id)
      problems.push(`invented: ${message.text} has another vendor id than was answered`);
    if (seen.has(numberOf(message.text))) problems.push(`invented: ${message.text} is stored twice`);
    seen.set(numberOf(message.text), message);
  }
  for (const [number, deliveries] of indexByNumber(arrived)) {
    if (deliveries.length > 1) problems.push(`invented: message ${number} was delivered under several ids`);
    for (const { event } of deliveries)
      if (seen.get(number)?.id !== event.data.id)
        problems.push(`invented: message ${number} was delivered and is not stored`);
  }
  return problems;
}

/** In every chat, the order of sequences must be that of the messages, and that of their acknowledgements. */
function findWrongOrder(load: Load, stored: StoredMessage[], arrived: Delivered[]): string[] {
  const problems: string[] = [];
  const sequences = indexByNumber(arrived);
  const ascending = (numbers: number[], chat: string): void => {
    let last = 0;
    for (const number of numbers) {
      const sequence = sequences.get(number)?.[0]?.event.sequence;
      if (sequence === undefined) continue;
      if (sequence <= last) problems.push(`order: message ${number} of ${chat} comes too early`);
      last = sequence;
    }
  };
  const chats = groupBy(stored, (message) => message.chat_id);
  for (const [chat, messages] of chats)
    ascending(
      messages.map((message) => numberOf(message.text)),
      chat,
    );
  // A write that was not answered at first may be stored after the next one.
  const certain = load.written.filter((write) => write.outcome === 'ok' && !write.isUncertain);
  const bySender = groupBy(certain, (write) => `${write.channelId} ${write.from}`);
  for (const [sender, writes] of bySender)
    ascending(
      writes.map((write) => write.number),
      sender,
    );
  return problems;
}

function describe(
  { title, load, receiver, kills, since }: CheckOptions,
  lost: number,
  invented: number,
): string {
  const repeated = [...receiver.byId.values()].reduce((sum, { at }) => sum + at.length - 1, 0);
  const lines: [string, string | number][] = [
    ['acknowledged', load.calls.ok],
    ['refused', load.calls.refused],
    ['unknown', load.calls.unknown],
    ['delivered', receiver.byId.size],
    ['repeated', repeated],
    ['lost', lost],
    ['invented', invented],
    ['kills', kills],
    ['duration', `${((performance.now() - since) / 1000).toFixed(1)} s`],
  ];
  return [
    `── ${title}`,
    ...lines.map(([name, value]) => `   ${name.padEnd(14)}${String(value).padStart(8)}`),
    '',
  ].join('\n');
}

/** Prints the report. Vitest would split the lines of the console. */
export const print = ({ text }: Report): void => void process.stdout.write(`\n${text}\n`);
