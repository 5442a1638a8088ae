-- Read-only links for screens. Only the hash of a link's secret is stored.
create table walls (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  selector text,
  secret_hash bytea not null unique,
  last_seen_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index on walls (project_id, created_at desc, id desc);

alter table walls enable row level security;
alter table walls force row level security;
create policy own on walls using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
