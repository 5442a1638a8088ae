-- Secrets of a project, which settings of monitors name; the values are sealed.
create table secrets (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  name text collate "C" not null,
  description text not null,
  -- Hosts that may get the value; null for all.
  hosts text[],
  sealed_value bytea not null,
  version integer not null,
  rotated_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project_id, name)
);
create table secret_uses (
  secret_id text collate "C" not null references secrets (id) on delete cascade,
  monitor_id text collate "C" not null references monitors (id) on delete cascade,
  project_id text collate "C" not null,
  primary key (secret_id, monitor_id)
);
create index secret_uses_monitor on secret_uses (monitor_id);

alter table secrets enable row level security;
alter table secrets force row level security;
create policy own on secrets using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table secret_uses enable row level security;
alter table secret_uses force row level security;
create policy own on secret_uses using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));

-- Fields of which texts name secrets; in other fields `{{secret.NAME}}` is text, as it was before. A version that does
-- not know the column would leave the word out of `needs` when it changes the monitor: its write fails instead.
alter table monitors
  add column secret_fields text[] not null default '{}',
  add constraint monitors_secret_fields
    check (cardinality(secret_fields) = 0 or 'gateway.3' = any (string_to_array(needs, ' ')));
