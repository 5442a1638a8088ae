-- The token that made a token; null for those of the operator.
alter table tokens add column created_by text collate "C" references tokens;
create index on tokens (created_by) where created_by is not null;

-- Everything that changed in a project, newest first.
create index on audit_entries (project_id, at desc, id desc);
