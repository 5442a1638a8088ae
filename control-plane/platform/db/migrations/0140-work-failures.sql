-- What failed for one monitor, project or delivery while its neighbours went on: see control-plane/failures/.
create table work_failures (
  work text not null,
  item text not null,
  project_id text references projects (id) on delete cascade,
  failures integer not null default 1,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  retry_at timestamptz(3) not null,
  error text not null,
  primary key (work, item)
);
create index work_failures_project on work_failures (project_id);
alter table work_failures enable row level security;
alter table work_failures force row level security;
create policy own on work_failures using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check check (
  kind in ('region.silent', 'region.quarantined', 'agent.silent', 'monitor.unable', 'channel.failing', 'work.failing')
);
