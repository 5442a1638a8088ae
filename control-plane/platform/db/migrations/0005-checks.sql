create table check_results (
  monitor_id text collate "C" not null,
  scheduled_at timestamptz(3) not null,
  region text collate "C" not null,
  kind text collate "C" not null,
  attempt smallint not null,
  status text collate "C" not null,
  failure_source text collate "C",
  agent_id text collate "C" not null,
  config_version integer not null,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  latency_ms real,
  status_code smallint,
  detail json not null,
  primary key (monitor_id, scheduled_at, region, kind, attempt)
) partition by range (scheduled_at);
--! series check_results scheduled_at 1

create table checks_hourly (
  monitor_id text collate "C" not null,
  hour timestamptz(3) not null,
  region text collate "C" not null,
  ok integer not null,
  warn integer not null,
  err integer not null,
  latency_sum double precision not null,
  latency_max real not null,
  latency_bins smallint[] not null,
  primary key (monitor_id, hour, region)
) partition by range (hour);
--! series checks_hourly hour 30
