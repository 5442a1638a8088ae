-- Checks of a monitor before an instant, by region: [ok, warn, err]. Later ones are summed from checks_hourly.
create table check_totals (
  monitor_id text collate "C" primary key,
  through timestamptz(3) not null,
  regions jsonb not null
);

-- Monitors that are there already are counted from today on: summing up years would take too long here.
insert into check_totals (monitor_id, through, regions)
select id, date_bin('1 day', now(), '2000-01-01Z'), '{}'
from monitors;

-- Failed checks of all time by what failed.
create table check_failures (
  monitor_id text collate "C" not null,
  region text collate "C" not null,
  reason text collate "C" not null,
  failures bigint not null,
  primary key (monitor_id, region, reason)
) with (fillfactor = 80);
