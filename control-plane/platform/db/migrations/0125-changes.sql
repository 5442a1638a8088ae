-- What the stream of changes reads: the last seconds of a project. Verdicts of before have no `decided_at`.
create index on facts (project_id, at);
create index on verdict_changes (project_id, decided_at) where decided_at is not null;
