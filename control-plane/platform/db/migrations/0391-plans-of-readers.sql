-- Plans by callers that may not apply them: they end no others.
alter table config_plans
  add column by_reader boolean not null default false;
