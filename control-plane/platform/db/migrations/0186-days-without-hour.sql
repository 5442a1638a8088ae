-- Version 0.7.4 summed up days without the hour that was still in the monitor's state: they are summed up again.
delete from checks_daily d
using monitor_states s
where s.monitor_id = d.monitor_id
  and s.open_hour is not null
  and d.day = date_bin('1 day', to_timestamp(split_part(s.open_hour, ';', 1)::bigint * 3600), '2000-01-01Z');
