alter table monitors
  add column alert_rules jsonb not null default '{}',
  add column rules_version integer not null default 1;

-- Which rules were in force when. A monitor without rows has had those it has from its start.
create table alert_rule_versions (
  monitor_id text collate "C" not null references monitors on delete cascade,
  rules_version integer not null,
  project_id text collate "C" not null,
  at timestamptz(3) not null,
  rules jsonb not null,
  primary key (monitor_id, rules_version)
);

alter table alert_rule_versions enable row level security;
alter table alert_rule_versions force row level security;
create policy own on alert_rule_versions using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- How long monitors with rules of their own have been down or good, and when that next opens or resolves an alert.
create table alert_clocks (
  monitor_id text collate "C" primary key references monitors on delete cascade,
  project_id text collate "C" not null,
  history json not null,
  due_at timestamptz(3)
);
create index on alert_clocks (due_at) where due_at is not null;

alter table alert_clocks enable row level security;
alter table alert_clocks force row level security;
create policy own on alert_clocks using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- An alert that opened again after it was resolved.
alter table alerts add column reopened_at timestamptz(3);

-- What decided a verdict, and when it was known. Null in rows of programs of the version before.
alter table verdict_changes
  add column decided_at timestamptz(3),
  add column cause text check (cause in ('vote', 'expiry', 'configuration', 'quarantine', 'import')),
  add column revised boolean not null default false,
  add column quorum integer,
  add column ballots json;
