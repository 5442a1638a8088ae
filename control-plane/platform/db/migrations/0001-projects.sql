create table projects (
  id text collate "C" primary key,
  name text not null,
  plan text not null check (plan in ('pro', 'team', 'agency', 'business', 'enterprise')),
  event_retention_days integer not null,
  sustained_per_second integer not null default 200,
  burst_per_second integer not null default 1000,
  burst_seconds integer not null default 30,
  allowed_origins text[] not null default '{}',
  created_at timestamptz(3) not null
);

create table tokens (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index on tokens (project_id, created_at, id);

-- Unlogged: a bucket lost in a crash starts full, and a charge waits for no disk.
create unlogged table rate_buckets (
  key text collate "C" primary key,
  tokens double precision not null,
  at timestamptz not null
);

create table idempotency_keys (
  project_id text collate "C" not null references projects,
  key uuid not null,
  fingerprint bytea not null,
  status integer not null,
  sealed_answer bytea not null,
  created_at timestamptz(3) not null,
  primary key (project_id, key)
);
create index on idempotency_keys (created_at);

alter table projects enable row level security;
alter table projects force row level security;
create policy own on projects using (current_setting('app.role', true) = 'worker' or id = current_setting('app.project', true));
alter table tokens enable row level security;
alter table tokens force row level security;
create policy own on tokens using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy own on idempotency_keys using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
