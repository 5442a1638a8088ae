-- False for updates that were entered afterwards without notifying anybody: readers of feeds would hear of them.
alter table incident_updates add column in_feed boolean not null default true;
