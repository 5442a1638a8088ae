-- What an agent lost or was late with, and whether its spool can be written.
alter table agents
  add column results_dropped bigint not null default 0,
  -- The agent's own count when it was last read.
  add column spool_dropped bigint not null default 0,
  add column late_starts bigint not null default 0,
  add column spool_count integer not null default 0,
  add column spool_failing boolean not null default false;
