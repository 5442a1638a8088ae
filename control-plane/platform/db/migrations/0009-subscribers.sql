-- Key of all address hashes, made at first use. Sealed, so that rotating SECRETS_KEYS leaves every hash as it is.
create table address_pepper (
  only_one boolean primary key default true check (only_one),
  sealed bytea not null
);

-- Addresses are sealed; `address_hash` (keyed, over page, channel and normalised address) finds one again.
create table subscribers (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects,
  status_page_id text collate "C" not null references status_pages,
  channel text not null check (channel in ('email', 'webhook')),
  sealed_address bytea not null,
  address_hash bytea not null,
  component_ids text[] not null,
  state text not null check (state in ('pending', 'active', 'unsubscribed', 'quarantined')),
  consent text,
  sealed_secret bytea,
  sealed_token bytea not null,
  token_hash bytea not null unique,
  confirmation_sent_at timestamptz(3),
  failures integer not null default 0,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  ended_at timestamptz(3)
);
create unique index on subscribers (status_page_id, channel, address_hash);
create index on subscribers (status_page_id, created_at desc, id desc);
create index on subscribers (confirmation_sent_at) where state = 'pending';

alter table subscribers enable row level security;
alter table subscribers force row level security;
create policy own on subscribers using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
