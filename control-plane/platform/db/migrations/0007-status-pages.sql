create table status_pages (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  slug text collate "C" not null,
  description text not null,
  timezone text not null,
  theme text not null check (theme in ('auto', 'light', 'dark')),
  history_days integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
-- Slugs are one namespace for all projects: they are public addresses.
create unique index status_pages_slug on status_pages (slug) where deleted_at is null;
create index on status_pages (project_id, created_at desc, id desc) where deleted_at is null;

-- A deleted component stays as long as incidents name it.
create table components (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  status_page_id text collate "C" not null references status_pages,
  name text not null,
  description text not null,
  group_name text,
  position integer not null,
  status text not null check (status in ('operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance')),
  show_uptime boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create index on components (status_page_id);
create index on components (project_id, created_at desc, id desc) where deleted_at is null;

create table component_monitors (
  component_id text collate "C" not null references components on delete cascade,
  monitor_id text collate "C" not null references monitors on delete cascade,
  project_id text collate "C" not null references projects,
  primary key (component_id, monitor_id)
);
create index on component_monitors (monitor_id);

-- When a page is to be rendered next, and how often it was. One row a page, locked while it is rendered.
create table page_publications (
  status_page_id text collate "C" primary key references status_pages on delete cascade,
  project_id text collate "C" not null references projects,
  due_at timestamptz(3) not null,
  published_at timestamptz(3),
  revision bigint not null default 0,
  error text
);
create index on page_publications (due_at);

-- What visitors get, byte for byte. `path` is what follows /status/; `source` names the state of the rows it was made from.
create table published_documents (
  path text collate "C" primary key,
  status_page_id text collate "C" not null references status_pages on delete cascade,
  project_id text collate "C" not null references projects,
  incident_id text collate "C",
  source text not null,
  content_type text not null,
  etag text not null,
  body_gzip bytea not null,
  published_at timestamptz(3) not null
);
create index on published_documents (status_page_id);

alter table status_pages enable row level security;
alter table status_pages force row level security;
create policy own on status_pages using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table components enable row level security;
alter table components force row level security;
create policy own on components using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table component_monitors enable row level security;
alter table component_monitors force row level security;
create policy own on component_monitors using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table page_publications enable row level security;
alter table page_publications force row level security;
create policy own on page_publications using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table published_documents enable row level security;
alter table published_documents force row level security;
create policy own on published_documents using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
