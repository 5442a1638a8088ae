-- Where a project's own systems hear of alerts and incidents.
create table webhooks (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  sealed_url bytea not null,
  sealed_secret bytea not null,
  kinds text[] not null,
  enabled boolean not null,
  failures integer not null default 0,
  created_at timestamptz(3) not null
);
create index on webhooks (project_id, created_at desc, id desc);

create table slack_installations (
  project_id text collate "C" primary key references projects,
  sealed_token bytea not null,
  created_at timestamptz(3) not null
);

-- The message that told an alert first: what follows answers in its thread.
create table slack_threads (
  alert_id text collate "C" not null,
  channel text not null,
  project_id text collate "C" not null references projects,
  channel_id text not null,
  ts text not null,
  primary key (alert_id, channel)
);

-- One row for each thing to tell, each who is to be told, and each way. `subject` is an update, an alert's step, a fact or a
-- confirmation; `recipient` a subscriber, a webhook or a Slack channel. What has the same `thread` (an incident or an alert)
-- reaches a recipient in the order of `sequence`, the number of the fact.
create table deliveries (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  kind text not null check (kind in ('incident_update', 'confirmation', 'alert', 'webhook')),
  channel text not null check (channel in ('email', 'webhook', 'slack')),
  subject text collate "C" not null,
  recipient text collate "C" not null,
  incident_id text collate "C",
  thread text collate "C",
  sequence bigint not null,
  payload jsonb not null,
  state text not null check (state in ('queued', 'sent', 'failed', 'held', 'cancelled')),
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  leased_until timestamptz(3),
  error text,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  ended_at timestamptz(3)
);
create unique index one_delivery on deliveries (subject, channel, recipient);
create index deliveries_due on deliveries (channel, due_at, id) where state = 'queued';
create index deliveries_of_recipient on deliveries (recipient, thread, sequence) where state = 'queued';
create index on deliveries (incident_id, created_at desc, id desc) where incident_id is not null;
create index on deliveries (project_id, created_at desc, id desc);
create index on deliveries (ended_at) where ended_at is not null;

alter table webhooks enable row level security;
alter table webhooks force row level security;
create policy own on webhooks using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table slack_installations enable row level security;
alter table slack_installations force row level security;
create policy own on slack_installations using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table slack_threads enable row level security;
alter table slack_threads force row level security;
create policy own on slack_threads using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table deliveries enable row level security;
alter table deliveries force row level security;
create policy own on deliveries using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
