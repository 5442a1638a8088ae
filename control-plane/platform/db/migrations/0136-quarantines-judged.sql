-- When the monitors of a quarantine that began or ended are judged by another process, unless the one that judges them
-- moves it on; null once all are. A process may die between the two.
alter table region_faults add column judge_at timestamptz(3);
create index region_faults_judge_at on region_faults (judge_at) where judge_at is not null;
