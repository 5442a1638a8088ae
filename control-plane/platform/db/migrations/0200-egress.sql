-- How the checks of a monitor go out; the private key of its client certificate is sealed. A version that does not know
-- these columns would leave the word out of `needs` when it changes the monitor: its write fails instead.
alter table monitors
  add column egress json,
  add column sealed_egress bytea,
  add constraint monitors_egress check (egress is null or 'egress.1' = any (string_to_array(needs, ' '))),
  add constraint monitors_sealed_egress check (sealed_egress is null or egress is not null);
