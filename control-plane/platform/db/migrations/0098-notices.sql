-- How long regions and agents may be silent before a notice says so; null: for ever.
alter table projects
  add column region_silent_after_seconds integer default 300 check (region_silent_after_seconds between 60 and 86400),
  add column agent_silent_after_seconds integer default 300 check (agent_silent_after_seconds between 60 and 86400);

-- The session that ended with a good-bye: replicas that do not write it leave another one here.
alter table agents add column goodbye_session uuid;
