-- Times whose entries belong to another release since one was reported. The roll-up takes them with the markers that it
-- reads, so that reporting a release waits for nothing.
create table flow_reattributions (
  id bigint generated always as identity primary key,
  project_id text collate "C" not null references projects,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null
);
create index on flow_reattributions (project_id);

alter table flow_reattributions enable row level security;
alter table flow_reattributions force row level security;
create policy own on flow_reattributions using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
