-- How checks sign in at their target; the password or token is sealed. A version that does not know these columns would
-- leave the word out of `needs` when it changes the monitor: its write fails instead.
alter table monitors
  add column auth json,
  add column sealed_auth bytea,
  add constraint monitors_auth check (auth is null or 'gateway.2' = any (string_to_array(needs, ' '))),
  add constraint monitors_sealed_auth check ((auth is null) = (sealed_auth is null));
