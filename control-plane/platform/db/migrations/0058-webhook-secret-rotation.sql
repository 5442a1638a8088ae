-- Until then messages carry the signatures of both secrets.
alter table webhooks
  add column sealed_previous_secret bytea,
  add column previous_secret_until timestamptz(3),
  add constraint webhooks_previous_secret check ((sealed_previous_secret is null) = (previous_secret_until is null));
