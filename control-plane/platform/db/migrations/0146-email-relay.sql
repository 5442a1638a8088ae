-- What the SMTP server does with emails of any recipient: the start of the last one that it accepted, and its last refusal.
create table email_relay (
  only_one boolean primary key default true check (only_one),
  accepted_at timestamptz(3),
  failing_since timestamptz(3),
  failed_at timestamptz(3),
  error text
);
insert into email_relay default values;

-- Refusals that may be the recipient's: the same answer to several within a minute is the server's. `refused_at` is when
-- the delivery got the answer first, `in_burst` whether others did then, `forgiven_at` when its failure was undone.
create table email_refusals (
  delivery_id text collate "C" primary key,
  answer_hash bytea not null,
  recipient_hash bytea not null,
  refused_at timestamptz(3) not null,
  in_burst boolean not null default false,
  forgiven_at timestamptz(3)
);
create index on email_refusals (answer_hash, refused_at);
create index on email_refusals (refused_at);

alter table notices
  drop constraint notices_kind_check,
  add constraint notices_kind_check check (
    kind in (
      'region.silent', 'region.quarantined', 'agent.silent', 'monitor.unable', 'channel.failing', 'work.failing', 'email.failing'
    )
  );
