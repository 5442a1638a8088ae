-- While there is a row, no email, webhook or Slack message is sent: what is queued waits. A restored copy begins so.
create table sending_hold (
  only_one boolean primary key default true check (only_one),
  since timestamptz(3) not null,
  reason text not null
);
