-- Own domains of status pages. `token` stands in a TXT record that proves who may use the name. The host of one that was
-- removed after it was proven answers nothing for 30 days.
create table page_domains (
  id text collate "C" primary key,
  project_id text collate "C" not null references projects (id) on delete cascade,
  status_page_id text collate "C" not null references status_pages (id) on delete cascade,
  domain text collate "C" not null,
  token text not null,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failing', 'lost', 'removed')),
  state_since timestamptz(3) not null,
  points_here boolean,
  error text,
  checked_at timestamptz(3),
  verified_at timestamptz(3),
  -- When somebody last asked for a look.
  asked_at timestamptz(3),
  -- When the worker looks next; null: only on demand.
  next_check_at timestamptz(3),
  created_at timestamptz(3) not null
);
create unique index on page_domains (project_id, domain) where state <> 'removed';
create unique index on page_domains (domain) where state in ('verified', 'failing');
create index on page_domains (status_page_id);
create index on page_domains (project_id);
create index on page_domains (next_check_at) where next_check_at is not null;
create index on page_domains (state_since) where state in ('removed', 'failing', 'lost');

alter table page_domains enable row level security;
alter table page_domains force row level security;
create policy own on page_domains using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

-- The domain by which the page is known; null: its address below PUBLIC_URL.
alter table status_pages add column canonical_domain text collate "C";

alter table notices
  drop constraint if exists notices_kind_check,
  add constraint notices_kind_check check (
    kind in (
      'region.silent', 'region.quarantined', 'agent.silent', 'monitor.unable', 'heartbeat.unheard', 'channel.failing', 'work.failing',
      'email.failing', 'page_domain.failing'
    )
  ) not valid;
