-- outside of a transaction
-- When chats were opened, reopened and closed, and by whom: events expire, reports do not. The id is that of the event. There is
-- no foreign key: numbering events waits for no row, such as a chat that is being deleted. What belongs to no chat any more is
-- not counted, and deleted when its hour is counted again.
create table if not exists chat_changes (
  id uuid not null,
  tenant_id uuid not null,
  chat_id uuid not null,
  channel_id uuid not null,
  change text not null check (change in ('opened', 'reopened', 'closed')),
  user_id uuid,
  at timestamptz not null,
  primary key (id, tenant_id)
);
create index if not exists chat_changes_by_chat on chat_changes (tenant_id, chat_id, at, id);
create index if not exists chat_changes_by_time on chat_changes (tenant_id, at, id);

-- What happened in each quarter of an hour. A quarter, because days begin at a quarter past in some time zones.
create table if not exists report_figures (
  tenant_id uuid not null references tenants (id) on delete cascade,
  figure text not null,
  at timestamptz not null,
  -- All zeros if there is none.
  channel_id uuid not null,
  -- The user, campaign or automation; all zeros if there is none.
  subject_id uuid not null,
  -- The author of messages, or the bucket of durations.
  detail text not null,
  count bigint not null,
  -- The sum of durations in milliseconds.
  total bigint not null,
  primary key (tenant_id, figure, at, channel_id, subject_id, detail)
);

-- Hours that are to be counted, or counted again because something in them has changed.
create table if not exists report_marks (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Whether replies in it change the figures of campaigns in earlier hours.
  has_replies boolean not null,
  shard smallint not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (id, tenant_id)
);
create index if not exists report_marks_due on report_marks (shard, tenant_id, due_at, id);
create index if not exists report_marks_by_tenant on report_marks (tenant_id, from_at);

-- Scheduled messages count when they are sent, all others when they are created.
create index concurrently if not exists messages_scheduled on messages (tenant_id, timestamp, id) where scheduled_at is not null;
create index concurrently if not exists messages_scheduled_of_chat on messages (tenant_id, chat_id, timestamp, id) where scheduled_at is not null;
-- Which campaign a contact replies to.
create index concurrently if not exists messages_of_campaign_by_chat on messages (chat_id, created_at) where campaign_id is not null;
create index concurrently if not exists consents_by_tenant on consents (tenant_id, created_at, id);

-- What is known of chats that exist already. Imported chats were created closed. If this is interrupted, it is done again.
insert into chat_changes (id, tenant_id, chat_id, channel_id, change, at)
select id, tenant_id, id, channel_id, 'opened', created_at from chats where closed_at is distinct from created_at
on conflict do nothing;
insert into chat_changes (id, tenant_id, chat_id, channel_id, change, at)
select md5(id::text)::uuid, tenant_id, id, channel_id, 'closed', closed_at from chats where closed_at > created_at
on conflict do nothing;

-- Everything is counted once, and what processes of the version before still write is counted a day later.
insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
select gen_random_uuid(), t.id, m.from_at, m.to_at, false,
       case when t.clock is not null then -1 else ('x' || right(t.id::text, 2))::bit(8)::int % 64 end, m.due_at, now()
  from tenants t
 cross join (values ('epoch'::timestamptz, date_bin('1 hour', now(), 'epoch') + interval '1 hour', '-infinity'::timestamptz),
                    (date_bin('1 hour', now(), 'epoch'), date_bin('1 hour', now(), 'epoch') + interval '1 day',
                     now() + interval '1 day')) as m (from_at, to_at, due_at);
