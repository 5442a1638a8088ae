-- A region is quarantined for one project, or for all (project_id is null).
alter table region_faults
  add column project_id text collate "C" references projects on delete cascade,
  drop constraint region_faults_pkey;
drop index region_faults_region_idx;
create unique index region_faults_lasting on region_faults (region, coalesce(project_id, '')) where until is null;
create index region_faults_region on region_faults (region, since);
