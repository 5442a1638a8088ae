-- Planned windows. One-off: starts_at and ends_at; recurring: schedule. `expand_at`: when occurrences of a recurring
-- one are planned further, null once its rule gives no more.
create table maintenances (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  title text not null,
  description text not null,
  monitor_ids text[] not null,
  selector text,
  component_ids text[] not null,
  status_page_ids text[] not null,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  schedule jsonb,
  alerts text not null check (alerts in ('hold', 'send')),
  exclude_from_uptime boolean not null,
  settle_seconds integer not null,
  announced boolean not null,
  announce_before_hours integer not null,
  notify text[] not null,
  description_html text,
  description_excerpt text,
  description_rendered_as text,
  expand_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create index on maintenances (project_id, created_at desc, id desc) where deleted_at is null;
create index on maintenances (expand_at) where expand_at is not null and deleted_at is null;

-- `original_start` and `original_end` are the plan's, `starts_at` and `ends_at` what holds. `announced_at`, `started_at`
-- and `ended_at`: when that was told. `due_at`: when something is to be told next, null once nothing is.
create table maintenance_occurrences (
  id text collate "C" primary key,
  maintenance_id text collate "C" not null references maintenances on delete cascade,
  project_id text collate "C" not null references projects,
  occurs_on date,
  original_start timestamptz(3) not null,
  original_end timestamptz(3) not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  announced_at timestamptz(3),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  cancelled_at timestamptz(3),
  due_at timestamptz(3),
  unique (maintenance_id, occurs_on)
);
create index on maintenance_occurrences (maintenance_id, starts_at desc, id desc);
create index on maintenance_occurrences (due_at) where due_at is not null;
create index on maintenance_occurrences (starts_at) where due_at is not null;

-- Which monitors belong to a maintenance, and from when until when; null: still. What counts of it is what lies in an
-- occurrence.
create table maintenance_members (
  maintenance_id text collate "C" not null references maintenances on delete cascade,
  monitor_id text collate "C" not null references monitors on delete cascade,
  project_id text collate "C" not null references projects,
  from_at timestamptz(3) not null,
  until_at timestamptz(3)
);
create unique index one_open_membership on maintenance_members (maintenance_id, monitor_id) where until_at is null;
create index on maintenance_members (monitor_id, maintenance_id);
create index on maintenance_members (maintenance_id);

-- `automatic`: which text of ours it is, in the language of each page; null: the customer's own, or edited by them.
create table maintenance_updates (
  id text collate "C" primary key,
  occurrence_id text collate "C" not null references maintenance_occurrences on delete cascade,
  maintenance_id text collate "C" not null references maintenances on delete cascade,
  project_id text collate "C" not null references projects,
  state text not null check (state in ('scheduled', 'in_progress', 'verifying', 'completed')),
  automatic text,
  body text not null,
  posted_at timestamptz(3) not null,
  edited_at timestamptz(3),
  feed_at timestamptz(3) not null,
  html text,
  excerpt text,
  rendered_as text
);
create unique index on maintenance_updates (occurrence_id, posted_at);
create index on maintenance_updates (maintenance_id, posted_at desc, id desc);

-- What an alert that was told before a hold has spent in holds: its clocks stood still.
alter table alerts add column held_ms bigint not null default 0;
create index unresolved_alerts on alerts (monitor_id) where resolved_at is null;

alter table deliveries add column maintenance_id text collate "C";
create index on deliveries (maintenance_id, created_at desc, id desc) where maintenance_id is not null;
alter table deliveries drop constraint deliveries_kind_check;
alter table deliveries add constraint deliveries_kind_check check (
  kind in (
    'incident_update', 'confirmation', 'alert', 'webhook', 'maintenance_update', 'operator', 'digest', 'notice', 'test'
  )
) not valid;

alter table maintenances enable row level security;
alter table maintenances force row level security;
create policy own on maintenances using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table maintenance_occurrences enable row level security;
alter table maintenance_occurrences force row level security;
create policy own on maintenance_occurrences using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table maintenance_members enable row level security;
alter table maintenance_members force row level security;
create policy own on maintenance_members using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table maintenance_updates enable row level security;
alter table maintenance_updates force row level security;
create policy own on maintenance_updates using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
