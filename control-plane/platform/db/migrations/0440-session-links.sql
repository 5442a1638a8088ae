-- A project may count what a session sent without a user for the user that it names first. Off for all of before.
alter table projects add column link_sessions boolean not null default false;
alter table projects add column links_switched_at timestamptz(3);

-- The earliest event by which a session names a user, for each of both. A session belongs to the earliest of all.
create table session_links (
  project_id text collate "C" not null,
  -- What funnels count: 53 bits of a hash, as in events.
  session_actor bigint not null,
  user_actor bigint not null,
  session_id text collate "C" not null,
  external_user_id text collate "C" not null,
  at timestamptz(3) not null,
  event_id text collate "C" not null,
  arrived_at timestamptz(3) not null,
  -- False until what the session sent without a user is marked for counting again.
  is_counted boolean not null,
  primary key (project_id, session_actor, user_actor)
);
create index on session_links (project_id, session_actor, at, event_id);
create index on session_links (project_id, user_actor, at desc);
create index on session_links (project_id) where not is_counted;

-- How far the stored events of a project were read for links since the setting was switched: their arrivals before
-- that are still to be read, once it is due. Done without a due time.
create table session_link_passes (
  project_id text collate "C" primary key references projects on delete cascade,
  switched_at timestamptz(3) not null,
  unread_before timestamptz(3) not null,
  due_at timestamptz(3)
);

-- Whether the events to count again are in cells already, and only whose they are has changed.
alter table event_cell_recounts add column is_counted boolean not null default false;
alter table event_cell_days add column is_counted boolean not null default false;

-- Sessions whose events without a user are erased with a user.
alter table event_erasures add column sessions bigint[] not null default '{}';

alter table session_links enable row level security;
alter table session_links force row level security;
create policy own on session_links using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table session_link_passes enable row level security;
alter table session_link_passes force row level security;
create policy own on session_link_passes using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
