-- Which users a span of time has. A few pages for millions of events, which arrive in the order of their times, nearly.
create index events_by_time on events using brin (timestamp) with (pages_per_range = 32);
