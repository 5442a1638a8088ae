-- How steps sign in, sealed as a whole and apart from what they send: a version that does not know it would show it. It
-- leaves the column as it is when it writes the monitor, but not the word in `needs`: its write fails instead.
alter table monitors
  add column sealed_step_auth bytea,
  add constraint monitors_step_auth check (
    sealed_step_auth is null
    or (kind = 'multistep' and 'gateway.4' = any (string_to_array(needs, ' ')))
  );
