create table incidents (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  status_page_id text collate "C" not null references status_pages,
  alert_id text collate "C",
  title text not null,
  severity text not null,
  impact text not null,
  affected_components text[] not null,
  started_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  postmortem_url text,
  postmortem_body text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create index on incidents (project_id, started_at desc, id desc) where deleted_at is null;
create index on incidents (status_page_id, started_at desc, id desc) where deleted_at is null;
create index on incidents (status_page_id) where resolved_at is null and deleted_at is null;
create index on alerts (incident_id) where incident_id is not null;
-- A deleted incident frees its alert for another.
create unique index one_incident_an_alert on incidents (alert_id) where deleted_at is null;

-- The state of an incident is that of its latest update. `feed_at` is posted_at in whole seconds, moved on where
-- an update of the same page has that second already: feeds need dates that differ.
create table incident_updates (
  id text collate "C" primary key,
  incident_id text collate "C" not null references incidents on delete cascade,
  project_id text collate "C" not null references projects,
  status_page_id text collate "C" not null references status_pages,
  state text not null check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  body text not null,
  posted_at timestamptz(3) not null,
  edited_at timestamptz(3),
  feed_at timestamptz(3) not null
);
create unique index on incident_updates (incident_id, posted_at);
create unique index on incident_updates (status_page_id, feed_at);

-- Texts that were replaced.
create table incident_update_texts (
  update_id text collate "C" not null references incident_updates on delete cascade,
  project_id text collate "C" not null references projects,
  replaced_at timestamptz(3) not null,
  body text not null
);
create index on incident_update_texts (update_id, replaced_at);

-- Who changed what and when. `actor` is the id of a token.
create table audit_entries (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  at timestamptz(3) not null,
  actor text not null,
  action text not null,
  subject text collate "C" not null,
  detail jsonb not null
);
create index on audit_entries (subject, at desc, id desc);

alter table incidents enable row level security;
alter table incidents force row level security;
create policy own on incidents using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table incident_updates enable row level security;
alter table incident_updates force row level security;
create policy own on incident_updates using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table incident_update_texts enable row level security;
alter table incident_update_texts force row level security;
create policy own on incident_update_texts using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table audit_entries enable row level security;
alter table audit_entries force row level security;
create policy own on audit_entries using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
