-- A monitor is judged by at least one region. Version 0.7.7 sees none of a monitor that needs abilities: its write of
-- one that it changes or resumes fails instead of showing the monitor up without a vote.
alter table monitor_states
  add constraint monitor_states_regions check (deleted or cardinality(regions) > 0) not valid;
