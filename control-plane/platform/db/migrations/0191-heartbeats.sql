-- Heartbeats: their secrets, and what is known of their signals. Secrets are found by a hash and stored sealed.
create table heartbeats (
  monitor_id text collate "C" primary key references monitors (id) on delete cascade,
  project_id text collate "C" not null,
  secret_hash bytea not null unique,
  sealed_secret bytea not null,
  previous_hash bytea unique,
  previous_until timestamptz(3),
  slug text,
  last_success_at timestamptz(3),
  last_vote_at timestamptz(3),
  expected_at timestamptz(3),
  expected_from timestamptz(3),
  gap_ms bigint,
  started_at timestamptz(3),
  runs json not null default '[]',
  missed_at timestamptz(3),
  -- When time alone may change something; null if it cannot.
  due_at timestamptz(3),
  created_at timestamptz(3) not null
);
create unique index heartbeats_slug on heartbeats (project_id, slug) where slug is not null;
create index heartbeats_due on heartbeats (due_at) where due_at is not null;

-- Addresses of senders from elsewhere. The texts are sealed with the monitor.
create table heartbeat_aliases (
  hash bytea primary key,
  monitor_id text collate "C" not null references monitors (id) on delete cascade,
  project_id text collate "C" not null
);
create index heartbeat_aliases_monitor on heartbeat_aliases (monitor_id);

-- One key of a project for the slugs of its heartbeats.
create table signal_keys (
  project_id text collate "C" primary key references projects (id) on delete cascade,
  hash bytea not null unique,
  sealed_key bytea not null,
  previous_hash bytea unique,
  previous_until timestamptz(3),
  rotated_at timestamptz(3) not null
);

-- The end of what came with a signal, sealed.
create table signal_outputs (
  monitor_id text collate "C" not null,
  at timestamptz(3) not null,
  attempt smallint not null,
  project_id text collate "C" not null,
  sealed_output bytea not null,
  primary key (monitor_id, at, attempt)
);
create index signal_outputs_at on signal_outputs (at);

-- When fronts took signals: no deadline passes while none did.
create table front_attendance (
  id uuid primary key,
  started_at timestamptz(3) not null,
  renewed_at timestamptz(3) not null
);

alter table heartbeats enable row level security;
alter table heartbeats force row level security;
create policy own on heartbeats using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table heartbeat_aliases enable row level security;
alter table heartbeat_aliases force row level security;
create policy own on heartbeat_aliases using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table signal_keys enable row level security;
alter table signal_keys force row level security;
create policy own on signal_keys using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table signal_outputs enable row level security;
alter table signal_outputs force row level security;
create policy own on signal_outputs using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
