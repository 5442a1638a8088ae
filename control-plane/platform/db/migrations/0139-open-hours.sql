-- The newest hour's checks of a monitor until a later hour begins: see control-plane/checks/open-hours.ts.
alter table monitor_states add column open_hour text;
