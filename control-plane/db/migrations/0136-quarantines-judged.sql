-- Whether the monitors were judged again since a quarantine began or ended: a process may die between the two.
alter table region_faults add column judged boolean not null default true;
create index region_faults_unjudged on region_faults (region) where not judged;
