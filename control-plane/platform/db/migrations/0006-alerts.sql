create table alerts (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  monitor_id text collate "C" not null,
  title text not null,
  severity text not null,
  state text not null check (state in ('open', 'acknowledged', 'resolved')),
  regions_failing text[] not null,
  regions text[] not null,
  quorum integer not null,
  reason jsonb not null,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  acknowledged_at timestamptz(3),
  escalated_at timestamptz(3),
  resolved_at timestamptz(3),
  incident_id text collate "C",
  created_at timestamptz(3) not null
);
-- The one place that makes an alert open once, however many replicas see the outage.
create unique index one_unresolved_alert on alerts (monitor_id) where state <> 'resolved';
create index on alerts (project_id, started_at desc, id desc);
create index on alerts (monitor_id, started_at desc);
create index on alerts (started_at) where state = 'open' and escalated_at is null;

alter table alerts enable row level security;
alter table alerts force row level security;
create policy own on alerts using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
