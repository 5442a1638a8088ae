-- The version of HTTP that a monitor asks for; null for 1.1. A version that does not know this column would leave the
-- word out of `needs` when it changes the monitor, and have it checked by HTTP/1.1: its write fails instead.
alter table monitors
  add column http_version text,
  add constraint monitors_http_version check (
    http_version is null
    or (http_version in ('2', 'auto') and 'http.2' = any (string_to_array(needs, ' ')))
  );
