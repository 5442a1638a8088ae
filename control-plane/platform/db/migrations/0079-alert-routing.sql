-- Who is notified of which alerts, and when.
create table routes (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  enabled boolean not null,
  position integer not null,
  match jsonb not null,
  continues boolean not null,
  steps jsonb not null,
  remind_every_minutes integer,
  quiet_hours jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project_id, name)
);
create index on routes (project_id, position);

-- Alerts that are notified together. `keys` are what the next alert must share: all of the first one's, or the cause
-- from the second on. `progress` is what routes and channels have done, and `due_at` when they do something next.
create table alert_groups (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  keys text[] not null,
  cause jsonb,
  opened_at timestamptz(3) not null,
  joined_at timestamptz(3) not null,
  told_at timestamptz(3),
  state text not null check (state in ('open', 'acknowledged', 'resolved', 'cancelled')),
  progress jsonb not null,
  -- How much has happened to it.
  number integer not null,
  due_at timestamptz(3) not null,
  ended_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index on alert_groups (due_at) where due_at < 'infinity';
create index on alert_groups (project_id, joined_at) where ended_at is null;
create index on alert_groups (project_id, opened_at desc, id desc);

-- An alert in its group, as routes see it: what it was when it was told, and what became of it. `number` counts
-- everything that happens to the group, so that each channel knows what it has not been told.
create table alert_group_members (
  alert_id text collate "C" primary key,
  group_id text collate "C" not null references alert_groups,
  project_id text collate "C" not null references projects,
  route_ids text[] not null,
  severity text not null,
  told_at timestamptz(3) not null,
  joined_number integer not null,
  acknowledged_at timestamptz(3),
  acknowledged_number integer,
  updated_number integer,
  resolved_at timestamptz(3),
  resolved_number integer,
  actor text
);
create index on alert_group_members (group_id, joined_number);

-- What waits for the end of quiet hours: one message for each channel.
create table quiet_digests (
  channel_id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  due_at timestamptz(3) not null,
  group_ids text[] not null,
  notice_ids text[] not null default '{}'
);
create index on quiet_digests (due_at);

alter table projects
  add column group_wait_seconds integer not null default 5,
  add column group_join_seconds integer not null default 300;

alter table routes enable row level security;
alter table routes force row level security;
create policy own on routes using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table alert_groups enable row level security;
alter table alert_groups force row level security;
create policy own on alert_groups using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table alert_group_members enable row level security;
alter table alert_group_members force row level security;
create policy own on alert_group_members using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table quiet_digests enable row level security;
alter table quiet_digests force row level security;
create policy own on quiet_digests using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
