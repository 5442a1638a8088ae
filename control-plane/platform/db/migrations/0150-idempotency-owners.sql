-- Whose a stored answer is: another token of the project may have fewer scopes. Null: stored by a version before.
alter table idempotency_keys add column token_id text collate "C";

-- Keys of requests that changed nothing: which request a key stood for, without an answer. Versions before do not look
-- here, so that they let such a key be used again.
create table idempotency_fingerprints (
  project_id text collate "C" not null references projects,
  key uuid not null,
  fingerprint bytea not null,
  created_at timestamptz(3) not null,
  primary key (project_id, key)
);
create index on idempotency_fingerprints (created_at);

alter table idempotency_fingerprints enable row level security;
alter table idempotency_fingerprints force row level security;
create policy own on idempotency_fingerprints using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
