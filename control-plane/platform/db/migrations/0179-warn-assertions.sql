-- Indexes of the assertions whose failure only warns (`on_fail`).
alter table monitor_versions add column warn_assertions smallint[] not null default '{}';
