-- Client credentials that checks fetch a token with, sealed as a whole, since a version that does not know them would
-- show them in `auth`. It leaves the column as it is when it writes the monitor, but not the word in `needs`: its write
-- fails instead.
alter table monitors
  add column sealed_oauth2 bytea,
  add constraint monitors_oauth2 check (
    sealed_oauth2 is null
    or (auth is null and 'auth.oauth2' = any (string_to_array(needs, ' ')))
  );
