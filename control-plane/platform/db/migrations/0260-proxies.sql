-- The password at the proxy that the checks of a monitor go through, sealed; there is a value for each proxy, with a
-- password or without. A version that does not know the column leaves it as it is when it writes the monitor, but neither
-- the word in `needs` nor, perhaps, the proxy: its write fails instead.
alter table monitors
  add column sealed_proxy bytea,
  add constraint monitors_sealed_proxy check (
    (sealed_proxy is not null) = (egress ->> 'proxy' is not null)
    and (sealed_proxy is null or 'egress.proxy' = any (string_to_array(needs, ' ')))
  );
