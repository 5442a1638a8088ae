-- What became of a project's events by minute: stored, known already, or refused and why. Kept for a day.
create table ingest_tallies (
  project_id text collate "C" not null,
  minute timestamptz(3) not null,
  outcome text collate "C" not null,
  events bigint not null,
  primary key (project_id, minute, outcome)
);
create index on ingest_tallies (minute);
alter table ingest_tallies enable row level security;
alter table ingest_tallies force row level security;
create policy own on ingest_tallies using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
