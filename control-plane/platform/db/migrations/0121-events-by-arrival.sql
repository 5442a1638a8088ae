-- What arrived lately. Rows lie in the order of their arrival, so a few pages find a span of millions.
create index events_by_arrival on events using brin (ingested_at) with (pages_per_range = 32);
