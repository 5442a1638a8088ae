-- Roles that groups of the identity provider give in a project.
create table group_roles (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  group_name text collate "C" not null,
  role text not null check (role in ('viewer', 'responder', 'editor', 'admin')),
  created_at timestamptz(3) not null,
  unique (project_id, group_name)
);
create index on group_roles (group_name);

-- `role` stays the highest, which requests read. Without `by_groups` it is also the direct one: so it is in rows of
-- version 0.11.0, which knows neither column.
alter table members
  add column by_groups boolean not null default false,
  add column direct_role text check (direct_role in ('viewer', 'responder', 'editor', 'admin'));

-- By which groups somebody was a member at their last sign-in.
create table member_groups (
  group_role_id text collate "C" not null references group_roles (id) on delete cascade,
  project_id text collate "C" not null,
  person_id text collate "C" not null,
  primary key (group_role_id, person_id),
  foreign key (project_id, person_id) references members (project_id, person_id) on delete cascade
);
create index on member_groups (person_id, project_id);

alter table group_roles enable row level security;
alter table group_roles force row level security;
create policy own on group_roles using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table member_groups enable row level security;
alter table member_groups force row level security;
create policy own on member_groups using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
