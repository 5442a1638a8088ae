-- The rules for certificates where they are not the default ones, and what an unresolved alert about one depends on. In
-- the row of the state, so that judging locks and reads it with the rest; it is null for nearly all monitors.
alter table monitor_states
  add column certificates json,
  add column certificates_due_at timestamptz(3);
create index on monitor_states (certificates_due_at) where certificates_due_at is not null;

-- Which thresholds turn checks of the version to warn; null: none do.
alter table monitor_versions add column certificate_warning json;
