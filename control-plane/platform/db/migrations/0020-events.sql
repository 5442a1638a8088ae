-- Kept by the time of arrival: an event told late lives as long as the plan promises, and never touches a closed chunk.
create table events (
  project_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  type text collate "C" not null,
  -- 53 bits of a hash of the user, or of the session where there is no user: what funnels count.
  actor bigint,
  external_user_id text collate "C",
  session_id text collate "C",
  props json,
  timestamp timestamptz(3) not null,
  ingested_at timestamptz(3) not null
) partition by range (ingested_at);
--! series events ingested_at 7
create index events_by_actor on events (project_id, actor, timestamp desc, id desc);
create index events_by_name on events (project_id, name, timestamp) include (actor) where type = 'track';
create index events_of_releases on events (project_id, timestamp desc, id desc) where type = 'release';

create table event_dedup_keys (
  project_id text collate "C" not null references projects,
  source text collate "C" not null check (source in ('server', 'browser')),
  dedup_id text collate "C" not null,
  event_id text collate "C" not null,
  at timestamptz(3) not null,
  primary key (project_id, source, dedup_id)
);
create index on event_dedup_keys (at);

-- Minutes in which events arrived that the roll-up has not seen, written with the events themselves. Rows are short-lived.
create table events_pending (
  project_id text collate "C" not null,
  minute timestamptz(3) not null,
  at timestamptz(3) not null
);
create index on events_pending (project_id, at);

-- Unlogged: a bucket lost in a crash starts full, and a charge waits for no disk.
create unlogged table ingest_buckets (
  key text collate "C" primary key,
  tokens double precision not null,
  at timestamptz not null
);

-- The limiter's clock, one for all replicas. A test that plays a trace replaces it.
create function ingest_clock() returns timestamptz language sql volatile as 'select clock_timestamp()';

alter table event_dedup_keys enable row level security;
alter table event_dedup_keys force row level security;
create policy own on event_dedup_keys using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table events_pending enable row level security;
alter table events_pending force row level security;
create policy own on events_pending using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
