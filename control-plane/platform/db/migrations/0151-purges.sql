-- What is deleted for good some time after a client deleted, revoked or ended it.
create index on incidents (deleted_at) where deleted_at is not null;
create index on components (deleted_at) where deleted_at is not null;
create index on maintenances (deleted_at) where deleted_at is not null;
create index on status_pages (deleted_at) where deleted_at is not null;
create index tokens_ended on tokens (least(revoked_at, expires_at)) where revoked_at is not null or expires_at is not null;
create index on agents (revoked_at) where revoked_at is not null;

-- Threads of alerts in Slack stayed for ever. Those of before count as new.
alter table slack_threads add column created_at timestamptz(3) not null default now();
create index on slack_threads (created_at);
