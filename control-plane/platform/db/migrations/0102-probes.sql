-- Attempts that somebody waits for, on their way to an agent and back. They outlive neither the answer nor a crash.
create unlogged table probes (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  run_id text collate "C" not null,
  agent_id text collate "C" not null,
  sealed_request bytea not null,
  sealed_answer bytea,
  taken_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index on probes (project_id);
create index on probes (run_id);

alter table probes enable row level security;
alter table probes force row level security;
create policy own on probes using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
