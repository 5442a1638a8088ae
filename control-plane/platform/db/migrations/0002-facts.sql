create table facts (
  id bigint generated always as identity primary key,
  kind text not null,
  project_id text collate "C",
  subject text not null,
  payload jsonb not null,
  at timestamptz(3) not null,
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  done_at timestamptz(3),
  error text
);
create index facts_due on facts (due_at) where done_at is null;
create index on facts (done_at) where done_at is not null;

create table leases (
  name text collate "C" primary key,
  holder text not null,
  fence bigint not null,
  expires_at timestamptz not null
);
