-- Configuration as code: which documents manage a resource, and by which key they name it. A row outlives its resource
-- until the next apply, which says of it when it was deleted.
create table resource_owners (
  project_id text collate "C" not null references projects on delete cascade,
  resource_id text collate "C" not null,
  type text collate "C" not null,
  -- The page of a component, '' for all others: keys are unique in it.
  parent_id text collate "C" not null,
  key text collate "C" not null,
  -- Null: nobody any more.
  managed_by text collate "C",
  -- A keyed hash of what the documents said at the last apply, and the `updated_at` that it left.
  digest text collate "C" not null,
  seen_at timestamptz(3) not null,
  primary key (project_id, resource_id),
  unique (project_id, type, parent_id, key)
);

-- What documents would change, for an hour: they and the values of their secrets are sealed, as is the plan.
create table config_plans (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects on delete cascade,
  manager text collate "C" not null,
  sealed_request bytea not null,
  sealed_plan bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  applied_at timestamptz(3)
);
create index on config_plans (project_id, created_at);
create index on config_plans (expires_at);

alter table resource_owners enable row level security;
alter table resource_owners force row level security;
create policy own on resource_owners using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table config_plans enable row level security;
alter table config_plans force row level security;
create policy own on config_plans using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
