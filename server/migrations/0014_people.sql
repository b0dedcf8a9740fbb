-- People who log in. A person belongs to no tenant: its memberships are the users that refer to it.
create table people (
  id uuid primary key,
  email text not null,
  name text not null,
  -- A PHC string of scrypt; null for somebody who logs in over an identity provider only.
  password_hash text,
  -- Whether the person may do what the operator's token may.
  is_operator boolean not null default false,
  -- The secret of the authenticator app. It counts only after a first code has confirmed it.
  totp_secret_encrypted bytea,
  totp_confirmed_at timestamptz,
  -- The number of the last 30 seconds whose code was used: a code counts once.
  totp_step bigint,
  recovery_code_hashes bytea[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index people_email on people (lower(email));

alter table users add column person_id uuid references people (id) on delete set null;
-- Whether the user sees the chats of all channels, or only those of the channels of its teams.
alter table users add column access text not null default 'all' check (access in ('all', 'teams'));
alter table users drop constraint users_role_check;
alter table users add constraint users_role_check check (role in ('owner', 'admin', 'agent', 'viewer'));
create unique index users_person on users (person_id, tenant_id) where person_id is not null;

create table team_channels (
  team_id uuid not null,
  channel_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  primary key (team_id, channel_id),
  foreign key (team_id, tenant_id) references teams (id, tenant_id) on delete cascade,
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index team_channels_by_channel on team_channels (channel_id, tenant_id);

-- A session is found by the hash of its cookie; the cookie itself is stored nowhere.
create table sessions (
  id uuid primary key,
  person_id uuid not null references people (id) on delete cascade,
  token_hash bytea not null,
  address text not null,
  agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index sessions_token on sessions (token_hash);
create index sessions_by_person on sessions (person_id, created_at);
create index sessions_by_age on sessions (last_seen_at);

-- Links that are used once: an invitation of a user, a new password, a first login as the operator.
create table person_links (
  id uuid primary key,
  kind text not null check (kind in ('invitation', 'reset', 'login')),
  token_hash bytea not null,
  -- The invited user.
  tenant_id uuid,
  user_id uuid,
  -- Whose password it sets, or who logs in; null for somebody who does not exist yet.
  person_id uuid references people (id) on delete cascade,
  -- The address that a new operator gets, if the link is for one address only.
  email text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (user_id, tenant_id) references users (id, tenant_id) on delete cascade,
  check ((kind = 'invitation') = (user_id is not null)),
  check (kind <> 'reset' or person_id is not null)
);
create unique index person_links_token on person_links (token_hash);
create index person_links_by_user on person_links (user_id, tenant_id);
create index person_links_by_person on person_links (person_id);
create index person_links_by_age on person_links (expires_at);

-- Who somebody is at an identity provider (OpenID Connect).
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people (id) on delete cascade,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index person_identities_by_person on person_identities (person_id);

-- Failed logins and links per period of 15 minutes, by the hash of what they have in common.
create table login_failures (
  id bytea primary key,
  period bigint not null,
  failures int not null
);

-- Requests of people per minute: of a tenant, and of a session.
create unlogged table people_rate_windows (
  subject_id uuid primary key,
  minute bigint not null,
  used bigint not null
) with (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_analyze_threshold = 10000);

-- Who changed what, written with the change. Partitioned by week as events are; without foreign keys for the same reason, and
-- without a primary key: nothing reads an entry by its id, and each index costs every write.
create table audit_entries (
  id uuid not null,
  -- Null for what the operator did to no tenant.
  tenant_id uuid,
  actor_type text not null check (actor_type in ('user', 'token', 'operator')),
  -- The user, the token, or the person who acted as the operator; null for the operator's token.
  actor_id uuid,
  actor_name text not null,
  operation text not null,
  target_id text,
  -- The fields that were given; the values only of those that cannot contain a text.
  changes jsonb not null,
  address text not null,
  request_id text not null,
  created_at timestamptz not null
) partition by range (id);
create table audit_entries_default partition of audit_entries default;
create index audit_entries_by_tenant on audit_entries (tenant_id, created_at, id);
alter table audit_entries_default set (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_threshold = 10000);
