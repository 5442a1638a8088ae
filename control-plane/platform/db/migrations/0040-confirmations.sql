-- How often an address was asked to confirm, by a keyed hash: of the address and its page, or of the address alone for
-- all pages together. It outlives the subscriber, so that asking again cannot begin anew.
create table confirmation_counts (
  address_hash bytea primary key,
  sent integer not null,
  since timestamptz(3) not null,
  last_sent_at timestamptz(3) not null
);
create index on confirmation_counts (last_sent_at);

-- Projects that may import addresses without a confirmation: the operator's decision.
create table subscriber_imports (
  project_id text collate "C" primary key references projects,
  per_day integer not null check (per_day >= 0),
  day date not null,
  imported integer not null
);

alter table subscriber_imports enable row level security;
alter table subscriber_imports force row level security;
create policy own on subscriber_imports using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));
