-- Set while the answers to an import are watched: whether its recipients refuse the emails or unsubscribe.
alter table subscribers
  add column imported_at timestamptz(3),
  add column state_reason text;
create index on subscribers (imported_at) where imported_at is not null;

-- Why imports were switched off by themselves.
alter table subscriber_imports add column ended_reason text;
