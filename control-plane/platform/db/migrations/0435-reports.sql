-- Questions about events that a project asks again and again: each item has its parameters, and no data.
create table reports (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects on delete cascade,
  name text not null,
  items jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project_id, name)
);
create index on reports (project_id, created_at desc, id desc);

alter table reports enable row level security;
alter table reports force row level security;
create policy own on reports using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
