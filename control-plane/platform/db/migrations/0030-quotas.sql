-- What the operator raised or lowered for one project; what is not here follows the plan.
create table project_quotas (
  project_id text collate "C" not null references projects,
  resource text not null,
  maximum bigint not null check (maximum >= 0),
  primary key (project_id, resource)
);

alter table project_quotas enable row level security;
alter table project_quotas force row level security;
create policy own on project_quotas using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
