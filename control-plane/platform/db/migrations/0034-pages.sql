-- What a text was rendered to. `rendered_as` names the renderer's version and the text: where it differs, the HTML is stale.
alter table incident_updates
  add column html text,
  add column excerpt text,
  add column rendered_as text;
alter table incidents
  add column postmortem_html text,
  add column postmortem_rendered_as text;

-- A page that could not be rendered within its budget is published with less detail for a while.
alter table page_publications
  add column detail_level integer not null default 0,
  add column reduced_until timestamptz(3);

-- When a page of the project was last tried, whether it could be published or not: projects have turns. Not in
-- page_publications, whose row is locked meanwhile.
create table publication_turns (
  project_id text collate "C" primary key references projects on delete cascade,
  tried_at timestamptz(3) not null
);
alter table publication_turns enable row level security;
alter table publication_turns force row level security;
create policy own on publication_turns using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- Every slug that is or was a page's. `left_at` is null for the current one. One namespace for all projects, which the
-- key decides: no row security, so that a project can see that a slug is taken.
create table page_slugs (
  slug text collate "C" primary key,
  status_page_id text collate "C" not null,
  project_id text collate "C" not null,
  left_at timestamptz(3)
);
create index on page_slugs (status_page_id);
create index on page_slugs (project_id) where left_at is not null;
create index on page_slugs (left_at) where left_at is not null;

insert into page_slugs (slug, status_page_id, project_id, left_at)
select distinct on (slug) slug, id, project_id, deleted_at
from status_pages
where deleted_at is null or deleted_at > now() - interval '1 year'
order by slug, deleted_at desc nulls first;
