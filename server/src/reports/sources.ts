import { skipReasons } from '../campaigns/schema.ts';
import { isByPerson } from '../chats/new-messages.ts';

/**
 * Where figures come from. Each source is SQL for rows with the columns figure, at, channel_id, subject_id, detail, count and
 * total of a period. The same SQL stores the figures of past hours and counts the current one, so both agree.
 */
interface Period {
  tenant: string;
  from: string;
  to: string;
}
type Source = (period: Period) => string;

export const NOBODY = '00000000-0000-0000-0000-000000000000';
/** A reply to a campaign, or the end of a subscription, counts for this long. */
export const CAMPAIGN_EFFECT = `interval '7 days'`;
/**
 * Durations are counted in buckets, each 9 % longer than the one before: 8 for each doubling, from a second on. The middle of a
 * bucket differs from every duration in it by less than 5 %.
 */
export const BUCKETS_PER_DOUBLING = 8;

/** So many rows are counted by one statement. What takes 15 seconds is cancelled; finding how long a contact waited takes up to 60 µs. */
export const MAX_COUNTED = 50_000;

const quarter = (time: string): string => `date_bin('15 minutes', ${time}, 'epoch')`;
const bucketOf = (ms: string): string =>
  `floor(${BUCKETS_PER_DOUBLING} * ln(greatest(${ms}, 1000) / 1000.0::float8) / ln(2::float8))::int::text`;

/** History that WhatsApp imports was written before the channel was connected, and is no work of the period. */
const CHANNEL = `join visible_channels ch on ch.id = m.channel_id and (ch.tenant_id = m.tenant_id) is true
      and (ch.provider <> 'whatsapp_cloud' or m.timestamp >= ch.created_at - interval '1 minute')`;

/** Messages of a period, by the time at which they count: when they were sent, for scheduled ones, else created. */
const messagesOf = ({ tenant, from, to }: Period, where: string): string => {
  const columns =
    'm.id, m.chat_id, m.channel_id, m.contact_id, m.sender, m.author, m.author_id, m.status, m.is_automatic';
  return `(select ${columns}, m.created_at as at from visible_messages m ${CHANNEL}
     where m.tenant_id = ${tenant} and m.created_at >= ${from} and m.created_at < ${to} and m.scheduled_at is null and ${where}
    union all
    select ${columns}, m.timestamp as at from visible_messages m ${CHANNEL}
     where m.tenant_id = ${tenant} and m.timestamp >= ${from} and m.timestamp < ${to} and m.scheduled_at is not null and ${where})`;
};
/** A message that has not left its queue counts when it does: there is an event for that, not for its creation. */
const SENT_OR_FAILED = `m.status <> 'queued'`;
const userOf = (row: string): string =>
  `case when ${row}.author = 'user' then coalesce(${row}.author_id, '${NOBODY}') else '${NOBODY}' end`;

const messages: Source = (period) =>
  `select case when m.sender = 'inbound' then 'received' when m.status = 'failed' then 'failed' else 'sent' end as figure,
          ${quarter('m.at')} as at, m.channel_id, ${userOf('m')} as subject_id, m.author as detail, count(*) as count, 0::bigint as total
     from ${messagesOf(period, `m.sender in ('inbound', 'outbound') and ${SENT_OR_FAILED}`)} m
    group by 1, 2, 3, 4, 5`;

const chats: Source = ({ tenant, from, to }) =>
  `select c.change as figure, ${quarter('c.at')} as at, c.channel_id, coalesce(c.user_id, '${NOBODY}') as subject_id, '' as detail,
          count(*) as count, 0::bigint as total
     from chat_changes c join visible_chats k on k.id = c.chat_id and (k.tenant_id = c.tenant_id) is true
    where c.tenant_id = ${tenant} and c.at >= ${from} and c.at < ${to}
    group by 1, 2, 3, 4`;

/**
 * How long contacts waited for people. A contact waits from the first message after the chat was opened, or after the last reply
 * of a person. The reply to the first message since the chat was opened is the first response, every other one a later one.
 * Nobody waits in a closed chat.
 */
const responses: Source = (period) => {
  const inChat = `m.tenant_id = ${period.tenant} and m.chat_id = r.chat_id`;
  const asked = `${inChat} and m.sender = 'inbound' and not m.is_automatic`;
  const replied = `${inChat} and m.sender = 'outbound' and ${isByPerson('m')} and ${SENT_OR_FAILED}`;
  const openedAt = `coalesce(o.at, '-infinity')`;
  return `select case when w.is_first then 'first_response' else 'later_response' end as figure, ${quarter('w.at')} as at, w.channel_id,
          w.subject_id, ${bucketOf('w.ms')} as detail, count(*) as count, sum(w.ms)::bigint as total
     from (select r.at, r.channel_id, ${userOf('r')} as subject_id, f.id = n.id as is_first,
                  floor(extract(epoch from r.at - n.created_at) * 1000)::bigint as ms
             from ${messagesOf(period, `m.sender = 'outbound' and ${isByPerson('m')} and ${SENT_OR_FAILED}`)} r
             left join lateral (
               select c.change, c.at from chat_changes c
                where c.tenant_id = ${period.tenant} and c.chat_id = r.chat_id and c.at <= r.at
                order by c.at desc, c.id desc limit 1) o on true
             left join lateral (
               select b.at, b.id from (
                 (select m.created_at as at, m.id from visible_messages m
                   where ${replied} and m.scheduled_at is null and m.created_at >= ${openedAt} and (m.created_at, m.id) < (r.at, r.id)
                   order by m.created_at desc, m.id desc limit 1)
                 union all
                 (select m.timestamp, m.id from visible_messages m
                   where ${replied} and m.scheduled_at is not null and m.timestamp >= ${openedAt} and (m.timestamp, m.id) < (r.at, r.id)
                   order by m.timestamp desc, m.id desc limit 1)) b
                order by b.at desc, b.id desc limit 1) p on true
             cross join lateral (
               select m.id, m.created_at from visible_messages m
                where ${asked} and m.created_at >= coalesce(p.at, ${openedAt}) and (m.created_at, m.id) < (r.at, r.id)
                  and (p.id is null or (m.created_at, m.id) > (p.at, p.id))
                order by m.created_at, m.id limit 1) n
             cross join lateral (
               select m.id from visible_messages m where ${asked} and m.created_at >= ${openedAt}
                order by m.created_at, m.id limit 1) f
            where coalesce(o.change, 'opened') <> 'closed') w
    group by 1, 2, 3, 4, 5`;
};

const IS_SKIPPED = `coalesce(m.error ->> 'code', '') in (${skipReasons.map((reason) => `'${reason}'`).join(', ')})`;

/**
 * What became of the first message to each recipient, in the hour of that message. Campaigns that are tried out are left out. The
 * condition on the campaign is written so that no partial index serves: one would lead to all messages of all campaigns.
 */
const campaigns: Source = ({ tenant, from, to }) =>
  `select v.figure, ${quarter('m.created_at')} as at, m.channel_id, m.campaign_id as subject_id, '' as detail, count(*) as count,
          0::bigint as total
     from visible_messages m
     join visible_campaigns k on k.id = m.campaign_id and (k.tenant_id = m.tenant_id) is true and not k.is_test
     join visible_channels ch on ch.id = m.channel_id and (ch.tenant_id = m.tenant_id) is true
    cross join lateral (
      select least(m.created_at + ${CAMPAIGN_EFFECT},
                   (select min(n.created_at) from visible_messages n
                     where n.chat_id = m.chat_id and n.campaign_id is not null and n.created_at > m.created_at)) as until) e
    cross join lateral (values
      ('campaign_sent', m.status in ('sent', 'delivered', 'read')),
      ('campaign_delivered', m.status in ('delivered', 'read')),
      ('campaign_read', m.status = 'read'),
      ('campaign_failed', m.status = 'failed' and not ${IS_SKIPPED}),
      ('campaign_replied', m.status <> 'failed' and exists (
         select 1 from visible_messages a where a.tenant_id = ${tenant} and a.chat_id = m.chat_id and a.sender = 'inbound'
            and not a.is_automatic and not a.is_opt_out and a.created_at > m.created_at and a.created_at < e.until)),
      ('campaign_opted_out', m.status <> 'failed' and exists (
         select 1 from visible_consents s where s.tenant_id = ${tenant} and s.contact_id = m.contact_id and s.channel_kind = ch.kind
            and s.status = 'unsubscribed' and s.source in ('contact', 'vendor', 'complaint', 'link')
            and s.created_at > m.created_at and s.created_at < e.until))) as v (figure, is_so)
    where m.tenant_id = ${tenant} and m.created_at >= ${from} and m.created_at < ${to} and num_nulls(m.campaign_id) = 0
      and m.sender = 'outbound' and ${SENT_OR_FAILED} and v.is_so
      and not exists (select 1 from visible_messages b where b.run_id = m.run_id and b.run_step < m.run_step)
    group by 1, 2, 3, 4`;

/** The automation that a campaign with a message is made into is hidden: it is in no list. */
const runs: Source = ({ tenant, from, to }) =>
  `select v.figure, ${quarter('r.created_at')} as at, coalesce(k.channel_id, c.channel_id, '${NOBODY}') as channel_id,
          r.automation_id as subject_id, '' as detail, count(*) as count, 0::bigint as total
     from visible_automation_runs r
     left join visible_chats k on k.id = r.chat_id and (k.tenant_id = r.tenant_id) is true
     left join visible_campaigns c on c.id = r.campaign_id and (c.tenant_id = r.tenant_id) is true
    cross join lateral (values
      ('run_started', r.started_at is not null),
      ('run_completed', r.status = 'completed'),
      ('run_failed', r.status = 'failed'),
      ('run_cancelled', r.status = 'cancelled')) as v (figure, is_so)
    where r.tenant_id = ${tenant} and r.created_at >= ${from} and r.created_at < ${to} and v.is_so
      and not exists (select 1 from automations h where h.id = r.automation_id and (h.tenant_id = r.tenant_id) is true and h.is_hidden)
    group by 1, 2, 3, 4`;

/** Each source with the figures that it counts. */
export const sources = {
  messages: { sql: messages, figures: ['received', 'sent', 'failed'] },
  chats: { sql: chats, figures: ['opened', 'reopened', 'closed'] },
  responses: { sql: responses, figures: ['first_response', 'later_response'] },
  campaigns: {
    sql: campaigns,
    figures: [
      'campaign_sent',
      'campaign_delivered',
      'campaign_read',
      'campaign_replied',
      'campaign_failed',
      'campaign_opted_out',
    ],
  },
  runs: { sql: runs, figures: ['run_started', 'run_completed', 'run_failed', 'run_cancelled'] },
} as const satisfies Record<string, { sql: Source; figures: readonly string[] }>;

export type StoredFigure = (typeof sources)[keyof typeof sources]['figures'][number];
