-- What results of a monitor have in common on a day, by the hash of its text: stored once instead of in each row.
create table check_shapes (
  monitor_id text collate "C" not null,
  day timestamptz(3) not null,
  hash bigint not null,
  shape json not null,
  primary key (monitor_id, day, hash)
) partition by range (day);
--! series check_shapes day 7

-- Null in rows whose detail is complete, such as those of earlier versions. No row is rewritten.
alter table check_results add column shape bigint;
alter table check_results add column figures bytea;
