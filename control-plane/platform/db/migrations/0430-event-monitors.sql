-- Monitors that judge stored events are looked for every few seconds.
create index monitors_of_events on monitors (id) where kind = 'events' and deleted_at is null;
