-- Accounts of people at the identity provider. Who somebody is there is issuer and subject, and nothing else.
create table identities (
  id text collate "C" primary key,
  person_id text collate "C" not null references people (id) on delete cascade,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  unique (issuer, subject)
);
create index on identities (person_id);
-- Runs the installation because the provider, or OPERATORS, said so at the last sign-in.
alter table people add column operator_by_provider boolean not null default false;

alter table identities enable row level security;
alter table identities force row level security;
create policy own on identities using (current_setting('app.role', true) = 'worker');
