-- How far each stream of the broker is stored. The row of a stream is locked by the transaction that stores from it.
create table intake_positions (
  stream text primary key,
  -- Of the stream: one that was made anew has sequences from 1.
  created_at text not null,
  seq bigint not null,
  -- Grows whenever a process takes the stream over.
  fence bigint not null,
  moved_at timestamptz not null default clock_timestamp(),
  -- Everything that came before was stored.
  caught_up_at timestamptz not null default clock_timestamp()
);

-- What came through the broker and could not be stored.
create table intake_parked (
  id bigint generated always as identity primary key,
  stream text not null,
  seq bigint not null,
  reason text not null,
  body text not null,
  at timestamptz not null default clock_timestamp()
);
