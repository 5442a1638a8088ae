-- Bulk calls with an Idempotency-Key while they run: which monitors they are about, and what is done. A call whose
-- process died is taken over by its repetition; a finished one has an answer in idempotency_keys instead.
create table bulk_runs (
  project_id text collate "C" not null references projects,
  key text collate "C" not null,
  fingerprint bytea not null,
  runner text not null,
  running_until timestamptz(3) not null,
  chosen jsonb not null,
  items jsonb not null,
  created_at timestamptz(3) not null,
  primary key (project_id, key)
);
create index on bulk_runs (created_at);

alter table bulk_runs enable row level security;
alter table bulk_runs force row level security;
create policy own on bulk_runs using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
