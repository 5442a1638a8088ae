-- Alerts about the end of a domain. What they depend on is in monitor_states.certificates, as of those about
-- certificates; it has no due time, so that programs of the version before never come to one.
alter table alerts
  drop constraint if exists alerts_kind_check,
  add constraint alerts_kind_check check (kind in ('down', 'degraded', 'certificate', 'domain')) not valid;
