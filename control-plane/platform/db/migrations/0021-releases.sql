create table releases (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  version text not null,
  name text,
  environment text not null,
  released_at timestamptz(3) not null,
  url text,
  commit_sha text,
  props json,
  event_id text collate "C" not null,
  created_at timestamptz(3) not null
);
create unique index release_once on releases (project_id, environment, version);
create index on releases (project_id, released_at desc, id desc);

alter table releases enable row level security;
alter table releases force row level security;
create policy own on releases using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
