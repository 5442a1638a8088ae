-- Where alerts of a project go. The configuration is sealed as a whole: addresses of people are in it as well.
create table channels (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  name text not null,
  type text not null,
  sealed_config bytea not null,
  -- Signs what a channel of type webhook gets.
  sealed_secret bytea,
  -- Of type email: rows of channel_addresses.
  address_ids text[] not null default '{}',
  detail text not null check (detail in ('full', 'brief')),
  enabled boolean not null,
  -- Deliveries in a row that failed for good.
  failures integer not null default 0,
  failing_since timestamptz(3),
  last_sent_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (project_id, name)
);
create index on channels (project_id, created_at desc, id desc);

-- Email addresses that may get alerts of a project: they are asked once, whatever channels name them.
create table channel_addresses (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  address_hash bytea not null,
  sealed_address bytea not null,
  asked_at timestamptz(3),
  confirmed_at timestamptz(3),
  unique (project_id, address_hash)
);

-- What a service answers to the first message of a group, so that later ones reply to it.
create table channel_threads (
  group_id text collate "C" not null,
  channel_id text collate "C" not null,
  project_id text collate "C" not null references projects,
  thread jsonb not null,
  created_at timestamptz(3) not null,
  primary key (group_id, channel_id)
);
create index on channel_threads (created_at);

alter table channels enable row level security;
alter table channels force row level security;
create policy own on channels using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table channel_addresses enable row level security;
alter table channel_addresses force row level security;
create policy own on channel_addresses using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
alter table channel_threads enable row level security;
alter table channel_threads force row level security;
create policy own on channel_threads using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- Deliveries to channels have a `channel` of their own, which programs of the version before do not claim.
alter table deliveries
  drop constraint if exists deliveries_channel_check,
  drop constraint if exists deliveries_kind_check,
  add constraint deliveries_channel_check check (channel in ('email', 'webhook', 'slack', 'operator')) not valid,
  add constraint deliveries_kind_check check (
    kind in (
      'incident_update', 'confirmation', 'alert', 'webhook', 'operator', 'digest', 'notice', 'test',
      'maintenance_update'
    )
  ) not valid,
  add column alert_id text collate "C",
  add column group_id text collate "C",
  add column channel_id text collate "C",
  add column channel_type text,
  add column route_id text collate "C",
  add column step text;
create index on deliveries (channel_id, created_at desc, id desc) where channel_id is not null;
create index on deliveries (group_id, channel_id) where group_id is not null;
create index on deliveries (alert_id, created_at desc, id desc) where alert_id is not null;

-- What Slack signs clicks on buttons with.
alter table slack_installations add column sealed_signing_secret bytea;
