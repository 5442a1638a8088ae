-- What a version says of records that must not change: their type, of which query, and the assertions; null for nothing.
alter table monitor_versions add column unchanged json;

-- How long a region saw which records, its last 20 changes: what `dns_changed` is decided by. Without a reference to the
-- monitor, which would lock it in the other order than a change of it does.
create table dns_runs (
  monitor_id text collate "C" not null,
  region text collate "C" not null,
  project_id text collate "C" not null,
  -- The query, and when the version came into force that it is of.
  target text collate "C" not null,
  target_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  runs json not null,
  primary key (monitor_id, region)
);
create index on dns_runs (last_at);
alter table dns_runs enable row level security;
alter table dns_runs force row level security;
create policy own on dns_runs using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
