-- What registries say of domains: one row for each name, whoever monitors it.
create table domain_lookups (
  name text primary key check (length(name) <= 253),
  due_at timestamptz(3) not null,
  -- Null before the first lookup.
  looked_up_at timestamptz(3),
  standing json,
  -- Whether it says more than what stands: false while a second lookup has yet to agree, or one of before counts.
  casts boolean not null default false,
  -- False until the monitors of the name have its result.
  delivered boolean not null default true
);
create index domain_lookups_due on domain_lookups (due_at);
create index domain_lookups_undelivered on domain_lookups (name) where not delivered;

-- When a server may be asked again: one request a second, or later if it says so.
create table rdap_servers (
  server text primary key check (length(server) <= 320),
  free_at timestamptz(3) not null
);

-- The file that says which server answers for which suffix: at most one row.
create table rdap_bootstrap (
  single boolean primary key default true check (single),
  url text not null,
  -- Null before the first one was read.
  fetched_at timestamptz(3),
  tried_at timestamptz(3) not null,
  registries json not null default '{}'
);

create index monitors_domain on monitors ((own->>'name')) where kind = 'domain' and deleted_at is null;
