create table flows (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  version integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index on flows (project_id, created_at desc, id desc);

-- What a flow counts. A version never changes, so that its hours are of one kind.
create table flow_versions (
  flow_id text collate "C" not null references flows on delete cascade,
  version integer not null,
  project_id text collate "C" not null references projects,
  steps jsonb not null,
  window_seconds integer not null,
  ordering text not null check (ordering in ('ordered', 'strict')),
  -- Null until the background work has listed the hours to fill; until then reports read raw events.
  filled_at timestamptz(3),
  -- Earlier hours miss events that were gone already when this version was made; null when none was.
  complete_from timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (flow_id, version)
);
create index on flow_versions (project_id);

-- A cell is a set of users that can be united with others: see flows/cell.ts. An entry without a release has ''.
create table events_hourly (
  flow_id text collate "C" not null,
  version integer not null,
  hour timestamptz(3) not null,
  release_id text collate "C" not null,
  step smallint not null,
  project_id text collate "C" not null,
  cell bytea not null,
  primary key (flow_id, version, hour, release_id, step),
  -- A roll-up under way may not leave cells of a version that goes meanwhile.
  foreign key (flow_id, version) references flow_versions on delete cascade
);

-- Hours whose cells have to be computed again from raw events; reports read those raw meanwhile.
create table flow_recompute (
  flow_id text collate "C" not null,
  version integer not null,
  hour timestamptz(3) not null,
  project_id text collate "C" not null,
  primary key (flow_id, version, hour),
  foreign key (flow_id, version) references flow_versions on delete cascade
);
create index on flow_recompute (project_id);

alter table flows enable row level security;
alter table flows force row level security;
create policy own on flows using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table flow_versions enable row level security;
alter table flow_versions force row level security;
create policy own on flow_versions using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table events_hourly enable row level security;
alter table events_hourly force row level security;
create policy own on events_hourly using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table flow_recompute enable row level security;
alter table flow_recompute force row level security;
create policy own on flow_recompute using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
