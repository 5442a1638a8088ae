-- A fact asks for a publication without touching the page's row, which a running publication holds: it never waits.
create table page_requests (
  id bigint generated always as identity primary key,
  status_page_id text collate "C" not null references status_pages on delete cascade,
  project_id text collate "C" not null references projects,
  requested_at timestamptz(3) not null
);
create index on page_requests (status_page_id);

alter table page_requests enable row level security;
alter table page_requests force row level security;
create policy own on page_requests using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- Facts are dispatched project by project, in turns.
create index on facts (project_id, due_at, id) where done_at is null;
