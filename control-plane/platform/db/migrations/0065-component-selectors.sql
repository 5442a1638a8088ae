alter table components add column monitor_selector text;

-- Why a monitor drives a component: its id is named, or the component's selector matches it, or both.
alter table component_monitors
  add column by_id boolean not null default true,
  add column by_selector boolean not null default false,
  add check (by_id or by_selector);
