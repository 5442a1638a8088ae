-- What an agent said that it can do, in the session that is named: one that a program of the version before welcomed
-- leaves another one here.
alter table agents
  add column capabilities text[] not null default '{}',
  add column capable_session uuid;
