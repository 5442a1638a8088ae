-- What the operator changes beside projects: shared regions, their agents, keys.
alter table audit_entries alter column project_id drop not null;
