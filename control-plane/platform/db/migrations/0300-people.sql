-- People of the installation, what they are in which project, and how they get in.
create table people (
  id text collate "C" primary key,
  name text not null,
  email text,
  email_verified boolean not null default false,
  -- Runs the installation.
  operator boolean not null default false,
  state text not null default 'active' check (state in ('active', 'deactivated', 'erased')),
  preferences jsonb not null default '{}',
  last_seen_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index people_email on people (lower(email)) where email is not null;

create table members (
  project_id text collate "C" not null references projects (id) on delete cascade,
  person_id text collate "C" not null references people (id) on delete cascade,
  role text not null check (role in ('viewer', 'responder', 'editor', 'admin')),
  joined_at timestamptz(3) not null,
  primary key (project_id, person_id)
);
create index members_person on members (person_id);

create table invitations (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  email text,
  name text,
  role text not null check (role in ('viewer', 'responder', 'editor', 'admin')),
  -- SHA-256 of the secret in the link.
  hash bytea not null unique,
  -- Type, id and name of who sent it.
  invited_by jsonb not null,
  -- Who accepts it also becomes the installation's first operator, unless there is one by then.
  for_operator boolean not null default false,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  accepted_by text collate "C" references people (id) on delete set null,
  revoked_at timestamptz(3)
);
create index on invitations (project_id, created_at, id);
create index on invitations (accepted_by) where accepted_by is not null;

-- Links with which somebody signs in once.
create table sign_in_links (
  id text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  hash bytea not null unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index on sign_in_links (person_id);

create table sessions (
  id text collate "C" primary key,
  -- SHA-256 of the secret in the cookie.
  hash bytea not null unique,
  person_id text collate "C" references people (id) on delete cascade,
  token_id text collate "C" references tokens (id) on delete cascade,
  method text not null check (method in ('token', 'link', 'passkey', 'oidc')),
  user_agent text not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When the person last showed that it is them.
  confirmed_at timestamptz(3),
  ended_at timestamptz(3),
  check (num_nonnulls(person_id, token_id) = 1)
);
create index on sessions (person_id, created_at) where person_id is not null;
create index on sessions (token_id, created_at) where token_id is not null;
create index on sessions (expires_at);

-- A token that a person made; `created_by` is the token that made it.
alter table tokens add column created_by_person text collate "C" references people (id) on delete set null;
create index on tokens (created_by_person) where created_by_person is not null;

-- Outside of a project a key belongs to the person that sent it.
alter table idempotency_keys drop constraint idempotency_keys_project_id_fkey;
alter table idempotency_fingerprints drop constraint idempotency_fingerprints_project_id_fkey;

alter table members enable row level security;
alter table members force row level security;
create policy own on members using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
alter table invitations enable row level security;
alter table invitations force row level security;
create policy own on invitations using (nullif(current_setting('app.role', true) <> 'worker', true) is not null or project_id = current_setting('app.project', true));
-- Of no project: who is limited to one sees none.
alter table people enable row level security;
alter table people force row level security;
create policy own on people using (current_setting('app.role', true) = 'worker');
alter table sign_in_links enable row level security;
alter table sign_in_links force row level security;
create policy own on sign_in_links using (current_setting('app.role', true) = 'worker');
alter table sessions enable row level security;
alter table sessions force row level security;
create policy own on sessions using (current_setting('app.role', true) = 'worker');
