-- Which kinds of alerts a webhook hears of. Before there was only `down`.
alter table webhooks add column alert_kinds text[] not null default '{down}';
