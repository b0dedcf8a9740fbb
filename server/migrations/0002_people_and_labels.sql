alter table attributes
  add column description text,
  add column options text[] not null default '{}',
  add column is_visible_quick_edit boolean not null default false,
  add column is_visible_contacts_table boolean not null default false,
  add column is_visible_contact_create boolean not null default false;
create index attributes_by_tenant on attributes (tenant_id, created_at, id);
create index labels_by_tenant on labels (tenant_id, created_at, id);

create table users (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  email text not null,
  role text not null check (role in ('admin', 'agent')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index users_email on users (tenant_id, lower(email));
create index users_by_tenant on users (tenant_id, created_at, id);

create table teams (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index teams_name on teams (tenant_id, lower(name));
create index teams_by_tenant on teams (tenant_id, created_at, id);

create table team_members (
  team_id uuid not null,
  user_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  primary key (team_id, user_id),
  foreign key (team_id, tenant_id) references teams (id, tenant_id) on delete cascade,
  foreign key (user_id, tenant_id) references users (id, tenant_id) on delete cascade
);
create index team_members_by_user on team_members (user_id);

-- Whoever leaves is no longer assigned to anything.
alter table chats
  add foreign key (assigned_user_id, tenant_id) references users (id, tenant_id) on delete set null (assigned_user_id),
  add foreign key (assigned_team_id, tenant_id) references teams (id, tenant_id) on delete set null (assigned_team_id);
create index chats_by_assigned_user on chats (assigned_user_id) where assigned_user_id is not null;
create index chats_by_assigned_team on chats (assigned_team_id) where assigned_team_id is not null;
