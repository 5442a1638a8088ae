-- Kinds of checks beside HTTP. `own` is the object that bears the kind's name, `needs` what agents must be able to do.
-- A monitor that needs anything has its regions in `able_regions`, and none in `regions`: version 0.7.7 would assign it
-- to agents as an HTTP check.
alter table monitors
  add column kind text not null default 'http',
  add column own json,
  add column needs text not null default '',
  add column able_regions text[],
  add constraint monitors_able_regions check (
    (needs = '') = (able_regions is null) and (able_regions is null or cardinality(regions) = 0)
  ),
  add constraint monitors_kind check ((kind = 'http') = (own is null));

-- What an agent can do as far as the gateway of its session knows it: work beyond that is not given to it.
alter table agents
  add column able text[] not null default '{}',
  add column able_session uuid,
  -- Words that the host does not allow, with the reasons.
  add column incapable json not null default '[]';
