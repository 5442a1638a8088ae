-- Users whose events are deleted on request. The user's id goes when that is done; what stays names nobody.
create table event_erasures (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects on delete cascade,
  -- A keyed hash, as the audit shows it.
  user_hash text collate "C" not null,
  -- What funnels count: by it events are refused that lay in the broker when the erasure was requested.
  actor bigint not null,
  external_user_id text collate "C",
  -- Names of events that were deleted, of which it is computed again when they were seen.
  names jsonb not null default '[]',
  state text collate "C" not null default 'queued' check (state in ('queued', 'running', 'done')),
  events bigint not null default 0,
  hours_recomputed bigint not null default 0,
  hours_kept bigint not null default 0,
  requested_at timestamptz(3) not null,
  done_at timestamptz(3),
  check ((state = 'done') = (done_at is not null)),
  check (state <> 'done' or (external_user_id is null and names = '[]'))
);
create index on event_erasures (project_id, requested_at, id);
create index on event_erasures (requested_at);
create index on event_erasures (project_id) where state <> 'done';

alter table event_erasures enable row level security;
alter table event_erasures force row level security;
create policy own on event_erasures using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
