-- Passkeys of people.
create table passkeys (
  id text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  -- Whether a service copies it to other devices of its owner.
  synced boolean not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
create index on passkeys (person_id, created_at);
-- What authenticators know a person by: the same for all passkeys of one.
alter table people add column passkey_handle bytea;

-- Tickets of a passkey's exchange that were used: each counts once, on all replicas.
create table used_tickets (
  hash bytea primary key,
  expires_at timestamptz(3) not null
);
create index on used_tickets (expires_at);

alter table passkeys enable row level security;
alter table passkeys force row level security;
create policy own on passkeys using (current_setting('app.role', true) = 'worker');
alter table used_tickets enable row level security;
alter table used_tickets force row level security;
create policy own on used_tickets using (current_setting('app.role', true) = 'worker');
