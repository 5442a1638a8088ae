-- One row for each recipient that has, or had, queued deliveries: a claim looks at recipients, never past what waits
-- behind others. `due_at` is no later than the first delivery that may be sent, infinity when nothing is queued. Who set
-- `leased_until` sends the recipient's next delivery. `revision` counts insertions, so that none of them is overlooked by
-- who finds the queue empty meanwhile.
create table delivery_queues (
  channel text not null,
  project_id text collate "C" not null references projects,
  recipient text collate "C" not null,
  due_at timestamptz(3) not null,
  leased_until timestamptz(3),
  revision bigint not null default 0,
  primary key (recipient, channel, project_id)
);
create index delivery_queues_due on delivery_queues (channel, project_id, due_at) where due_at < 'infinity';

alter table delivery_queues enable row level security;
alter table delivery_queues force row level security;
create policy own on delivery_queues using (current_setting('app.role', true) = 'worker' or project_id = current_setting('app.project', true));

insert into delivery_queues (channel, project_id, recipient, due_at)
select channel, project_id, recipient, min(due_at)
from deliveries
where state = 'queued'
group by channel, project_id, recipient;

drop index deliveries_due;
drop index deliveries_of_recipient;
-- The threads of a recipient; a delivery that belongs to none is a thread of its own.
update deliveries set thread = id where thread is null;
alter table deliveries alter column thread set not null;
create index deliveries_waiting on deliveries (recipient, channel, project_id, thread, sequence) where state = 'queued';
