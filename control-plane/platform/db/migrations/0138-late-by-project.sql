-- Late results are replayed in turns of the projects.
create index monitor_states_late on monitor_states (project_id, replay_from) where replay_from is not null;
drop index monitor_states_replay_from_idx;
