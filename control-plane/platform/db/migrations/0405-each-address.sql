-- Whether a monitor watches every address of its name. A version that does not know the column leaves it as it is when it
-- writes the monitor, but neither the word in `needs` nor, perhaps, the setting: its write fails instead.
alter table monitors
  add column each_address boolean not null default false,
  add constraint monitors_each_address check (
    each_address = (coalesce(egress ->> 'addresses', 'first') = 'each')
    and (not each_address or 'egress.each' = any (string_to_array(needs, ' ')))
  );
