-- A version whose roll-up takes too long rests and then tries less at once, so that it does not fail its project's round.
alter table flow_versions add column strikes smallint not null default 0;
alter table flow_versions add column rests_until timestamptz(3);
