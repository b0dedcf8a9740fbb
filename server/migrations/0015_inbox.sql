-- Saved filters of chats. One without a user was created with a token.
create table views (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  user_id uuid,
  name text not null,
  query text not null,
  sort_by text,
  -- Whether all users see it.
  is_shared boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (user_id, tenant_id) references users (id, tenant_id) on delete cascade,
  check (is_shared or user_id is not null)
);
create index views_by_tenant on views (tenant_id, created_at, id);
create index views_by_user on views (user_id, tenant_id);

-- Texts that users insert by a shortcut.
create table saved_replies (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  shortcut text not null,
  text text not null,
  media jsonb not null default '[]',
  -- Empty for all channels.
  channel_ids uuid[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index saved_replies_shortcut on saved_replies (tenant_id, lower(shortcut));
create index saved_replies_by_tenant on saved_replies (tenant_id, created_at, id);
