-- Dashboard sessions that were signed out before their time: their sealed cookies count no more.
create table ended_sessions (
  id bytea primary key,
  expires_at timestamptz(3) not null
);
create index on ended_sessions (expires_at);
