-- Sums of days that are over, kept when they are first read; a late result deletes its day.
create table checks_daily (
  monitor_id text collate "C" not null,
  day timestamptz(3) not null,
  ok integer not null,
  warn integer not null,
  err integer not null,
  latency_max real not null,
  latency_bins integer[] not null,
  primary key (monitor_id, day)
);
