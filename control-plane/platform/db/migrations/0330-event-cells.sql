-- Events by name and hour, and by name and day of UTC, kept for ever. An arrival day of its own for each, so that what
-- arrived on a day can be counted again as long as its events are kept. The name (other) takes those beyond the limit.
create table event_cells (
  project_id text collate "C" not null,
  type text collate "C" not null,
  name text collate "C" not null,
  span text collate "C" not null check (span in ('hour', 'day')),
  start timestamptz(3) not null,
  arrived_on date not null,
  events bigint not null,
  cell bytea not null,
  primary key (project_id, type, name, span, start, arrived_on)
);
create index event_cells_by_start on event_cells (project_id, span, start);

-- Names that have cells of their own. One that no event bore for long is not admitted any more.
create table event_names (
  project_id text collate "C" not null,
  type text collate "C" not null,
  name text collate "C" not null,
  admitted boolean not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  last_arrived_on date not null,
  primary key (project_id, type, name)
);

-- What was stored and is not in the cells yet, written with the events themselves. Rows are short-lived.
create table event_cell_deltas (
  project_id text collate "C" not null,
  type text collate "C" not null,
  name text collate "C" not null,
  hour timestamptz(3) not null,
  arrived_on date not null,
  events integer not null,
  users bytea not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  at timestamptz(3) not null
);
create index on event_cell_deltas (project_id, at);

-- Hours of an arrival day whose cells are counted again from the events.
create table event_cell_recounts (
  project_id text collate "C" not null,
  hour timestamptz(3) not null,
  arrived_on date not null,
  primary key (project_id, arrived_on, hour)
);

-- Arrival days of which all hours are counted again once they are due.
create table event_cell_days (
  project_id text collate "C" not null,
  arrived_on date not null,
  due_at timestamptz(3) not null,
  primary key (project_id, arrived_on, due_at)
);

-- From when on the cells of a project are complete, where events of before were gone at the upgrade.
create table event_cell_starts (
  project_id text collate "C" primary key references projects (id) on delete cascade,
  complete_from timestamptz(3) not null
);

-- At the upgrade: each day of which all arrivals are kept. Today's and tomorrow's once more when they are over: a
-- control plane of before, which counts nothing, may still store events.
insert into event_cell_days (project_id, arrived_on, due_at)
select id, day::date, now()
from projects, generate_series(
  case
    when created_at > now() - event_retention_days * interval '1 day' then date_trunc('day', created_at, 'UTC')
    else date_trunc('day', now() - event_retention_days * interval '1 day', 'UTC') + interval '1 day'
  end,
  date_trunc('day', now(), 'UTC'),
  interval '1 day'
) as day;
insert into event_cell_days (project_id, arrived_on, due_at)
select id, (date_trunc('day', now(), 'UTC') at time zone 'UTC')::date + ahead,
  date_trunc('day', now(), 'UTC') + (ahead + 1) * interval '1 day' + interval '1 hour'
from projects, generate_series(0, 1) as ahead;
insert into event_cell_starts (project_id, complete_from)
select id, date_trunc('day', now() - event_retention_days * interval '1 day', 'UTC') + interval '25 hours'
from projects
where created_at <= now() - event_retention_days * interval '1 day';

alter table event_cells enable row level security;
alter table event_cells force row level security;
create policy own on event_cells using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table event_names enable row level security;
alter table event_names force row level security;
create policy own on event_names using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table event_cell_deltas enable row level security;
alter table event_cell_deltas force row level security;
create policy own on event_cell_deltas using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table event_cell_recounts enable row level security;
alter table event_cell_recounts force row level security;
create policy own on event_cell_recounts using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table event_cell_days enable row level security;
alter table event_cell_days force row level security;
create policy own on event_cell_days using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table event_cell_starts enable row level security;
alter table event_cell_starts force row level security;
create policy own on event_cell_starts using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
