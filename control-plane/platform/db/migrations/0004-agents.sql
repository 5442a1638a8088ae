create table agents (
  id text collate "C" primary key,
  region text collate "C" not null references regions,
  name text not null,
  secret_hash bytea not null unique,
  version text,
  online boolean not null default false,
  session_id uuid,
  connected_at timestamptz(3),
  disconnected_at timestamptz(3),
  last_seen_at timestamptz(3),
  clock_offset_ms double precision,
  assignments integer not null default 0,
  checks_per_second double precision not null default 0,
  queue_depth integer not null default 0,
  missed_slots bigint not null default 0,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  changed_xid xid8 not null default pg_current_xact_id()
);
create index on agents (changed_xid);
create unique index on agents (region, name) where revoked_at is null;
