-- Kinds of alerts. Programs of the version before know one kind, and take every row whose `state` is not 'resolved' for
-- a monitor that is down: they resolve it when the monitor is up, and move its start to a down row. So the state of the
-- other kinds is in `own_state`, their `state` always reads 'resolved', and `a.current_state` is true for all kinds: a
-- function instead of a generated column, into which the restore of the version before would try to write.
alter table alerts
  add column kind text not null default 'down' check (kind in ('down', 'degraded', 'certificate')),
  add column own_state text check (own_state in ('open', 'acknowledged', 'resolved')),
  add column opened_at timestamptz(3),
  add column rules_version integer,
  add column held boolean not null default false,
  add column held_since timestamptz(3),
  add column released_at timestamptz(3),
  -- Null until somebody is notified.
  add column told_at timestamptz(3),
  add column flapping_since timestamptz(3),
  add column superseded_by text collate "C",
  add column group_id text collate "C",
  add column acknowledged_by jsonb,
  add constraint own_state_of_kind check ((own_state is null) = (kind = 'down') and (kind = 'down' or state = 'resolved'));
-- Of resolved ones nobody asks when they were told, and they opened when they were created.
update alerts
set opened_at = created_at,
  told_at = created_at
where state <> 'resolved';
-- What programs of the version before open.
alter table alerts
  alter column opened_at set default now(),
  alter column told_at set default now();

create function current_state(alert alerts) returns text
  language sql immutable
  as 'select coalesce(alert.own_state, alert.state)';

-- Beside one_unresolved_alert, which is about those that are down.
create unique index one_unresolved_alert_of_kind on alerts (monitor_id, kind) where own_state <> 'resolved';

-- What operators should know and nobody acknowledges. A row without a project is about what all projects share.
create table notices (
  id text collate "C" primary key,
  project_id text collate "C" references projects,
  kind text not null check (
    kind in ('region.silent', 'region.quarantined', 'agent.silent', 'monitor.unable', 'channel.failing')
  ),
  subject_type text not null,
  subject_id text collate "C" not null,
  subject_name text not null,
  -- Tells apart notices about one subject: the reason of monitor.unable.
  distinction text not null default '',
  title text not null,
  detail text not null,
  late_results boolean not null default false,
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3)
);
create unique index one_open_notice on notices (project_id, kind, subject_id, distinction) nulls not distinct
  where closed_at is null;
create index on notices (project_id, opened_at desc, id desc);
create index on notices (closed_at) where closed_at is not null;

alter table notices enable row level security;
alter table notices force row level security;
create policy own on notices using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
