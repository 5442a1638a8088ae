create table regions (
  code text collate "C" primary key,
  name text not null,
  project_id text collate "C" references projects,
  created_at timestamptz(3) not null
);

create table monitors (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  url text not null,
  method text not null,
  interval_seconds integer not null,
  timeout_ms integer,
  regions text[] not null,
  quorum integer,
  assertions json not null,
  sealed_headers bytea not null,
  sealed_body bytea,
  follow_redirects boolean not null,
  alert_policy json not null,
  enabled boolean not null,
  config_version integer not null,
  configured_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  changed_xid xid8 not null default pg_current_xact_id()
);
create index on monitors (project_id, created_at, id) where deleted_at is null;
create index on monitors (project_id, name, deleted_at) where deleted_at is not null;
create index on monitors (deleted_at) where deleted_at is not null;
-- Replicas read what changed since the oldest transaction of their last reading: see assignments/catalogue.ts.
create index on monitors (changed_xid);

-- What each version asked for, so that spooled results and late judging find the rules of their time.
create table monitor_versions (
  monitor_id text collate "C" not null references monitors on delete cascade,
  config_version integer not null,
  project_id text collate "C" not null,
  at timestamptz(3) not null,
  regions text[] not null,
  quorum integer not null,
  interval_ms integer not null,
  timeout_ms integer not null,
  p95_assertions json not null,
  enabled boolean not null,
  deleted boolean not null,
  drops_votes boolean not null,
  moves_floor boolean not null,
  primary key (monitor_id, config_version)
);
create index on monitor_versions (at);

-- One row a monitor, rewritten with each result: no index on what changes then, so that updates stay in the page.
create table monitor_states (
  monitor_id text collate "C" primary key references monitors on delete cascade,
  project_id text collate "C" not null,
  config_version integer not null,
  regions text[] not null,
  quorum integer not null,
  interval_ms integer not null,
  timeout_ms integer not null,
  enabled boolean not null,
  deleted boolean not null,
  verdict text not null,
  since timestamptz(3) not null,
  floor timestamptz(3) not null,
  votes json not null,
  confirmed_at timestamptz(3),
  sweep_at timestamptz(3),
  replay_from timestamptz(3)
) with (fillfactor = 60);
create index on monitor_states (sweep_at) where sweep_at is not null;
create index on monitor_states (replay_from) where replay_from is not null;

create table verdict_changes (
  monitor_id text collate "C" not null references monitors on delete cascade,
  since timestamptz(3) not null,
  project_id text collate "C" not null,
  verdict text not null,
  votes json not null,
  config_version integer not null,
  primary key (monitor_id, since)
);

create table region_faults (
  region text collate "C" not null references regions,
  since timestamptz(3) not null,
  until timestamptz(3),
  primary key (region, since)
);
create unique index on region_faults (region) where until is null;

-- Regions whose vote turned down, kept a few minutes: what region faults are found by.
create table vote_downs (
  region text collate "C" not null,
  monitor_id text collate "C" not null references monitors on delete cascade,
  at timestamptz(3) not null
);
create index on vote_downs (at);

alter table regions enable row level security;
alter table regions force row level security;
create policy own on regions using (current_setting('app.role', true) = 'worker' or project_id is null or project_id = current_setting('app.project', true));
alter table monitors enable row level security;
alter table monitors force row level security;
create policy own on monitors using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table monitor_versions enable row level security;
alter table monitor_versions force row level security;
create policy own on monitor_versions using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table monitor_states enable row level security;
alter table monitor_states force row level security;
create policy own on monitor_states using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table verdict_changes enable row level security;
alter table verdict_changes force row level security;
create policy own on verdict_changes using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
