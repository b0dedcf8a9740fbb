-- Meta has one callback an app, whatever the number: its first call shows a token, and only its hash is looked for.
alter table channels
  add column verify_hash bytea,
  -- What several channels may share, and what some requests name alone: Meta tells of templates by the business account.
  add column account_key text,
  -- Why the channel is failing, in words.
  add column problem text;
create index channels_by_account_key on channels (provider, account_key) where account_key is not null;
create index channels_by_verify_hash on channels (provider, verify_hash) where verify_hash is not null;

-- Some vendors sign the URL that they called, and put what they are asked to remember into it.
alter table inbound add column url text not null default '';

-- Work list: messages to send. Lane: the channel. `sending_at` is set and committed before the vendor is called, and
-- due_at stays: whoever finds such a row after a crash asks what became of it and never simply sends it again.
alter table messages
  add column slot smallint,
  add column due_at timestamptz,
  add column attempts integer not null default 0,
  add column sending_at timestamptz,
  add column scheduled_at timestamptz,
  add column edited_at timestamptz,
  add column deleted_at timestamptz;
create index messages_due on messages (slot, channel_id, due_at, id) where due_at is not null;
-- What waits in one chat: its messages go out one after another, and a pause of one holds those behind it. Its condition
-- says the same as that above in other words, so that a search in a chat can only mean this index: while next to nothing
-- waits the planner finds both equally good, and keeps its choice when much does (900 rows read instead of one).
create index messages_waiting on messages (chat_id, id) where coalesce(due_at, 'infinity') < 'infinity';

-- A status may come before the message that it is about; its error waits here.
alter table vendor_messages add column parked jsonb;

-- After STOP the vendor lets no message through to this number until the person writes START.
alter table handles add column opted_out_at timestamptz;

-- Work list: files of messages that are still with the vendor. Lane: the channel.
create table media_fetches (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  message_id uuid not null,
  -- Which of the message's files.
  number smallint not null,
  ref jsonb not null,
  error text,
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (message_id, tenant_id) references messages (id, tenant_id) on delete cascade
);
create index media_fetches_due on media_fetches (slot, channel_id, due_at, id) where due_at is not null;
create index media_fetches_by_message on media_fetches (message_id);

-- What the sandbox, as a vendor, has accepted: a message once, however often it is sent.
create table sandbox_outbox (
  message_id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  vendor_id text not null,
  recipient text not null,
  type text not null,
  text text,
  content jsonb not null,
  at timestamptz not null,
  primary key (message_id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index sandbox_outbox_by_channel on sandbox_outbox (channel_id, at, message_id);

-- Work list: mailboxes that are looked into again and again. Lane: the channel. How far they have been read.
create table mailboxes (
  id uuid not null,
  tenant_id uuid not null,
  uid_validity bigint,
  uid bigint,
  error text,
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  -- Its id is the channel's.
  foreign key (id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index mailboxes_due on mailboxes (slot, id, due_at) where due_at is not null;
