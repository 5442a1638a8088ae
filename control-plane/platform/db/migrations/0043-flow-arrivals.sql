-- Minutes with new events that one version of a flow has not counted yet, because its project's time was over. Its other
-- versions have, so the minutes are no longer in events_pending.
create table flow_arrivals (
  flow_id text collate "C" not null,
  version integer not null,
  project_id text collate "C" not null,
  minute timestamptz(3) not null,
  at timestamptz(3) not null,
  primary key (flow_id, version, minute),
  foreign key (flow_id, version) references flow_versions on delete cascade
);
create index on flow_arrivals (project_id);

alter table flow_arrivals enable row level security;
alter table flow_arrivals force row level security;
create policy own on flow_arrivals using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
