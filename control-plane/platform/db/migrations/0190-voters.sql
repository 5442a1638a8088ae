-- Monitors that no agent checks are voted on under names that no region may bear.
do $$
begin
  if exists (select from regions where code in ('heartbeat', 'registry', 'events')) then
    raise exception 'A region is named heartbeat, registry or events. These names are reserved from 0.9.0 on: move '
      'its monitors to a region of another name, revoke its agents and delete its row of the table regions.';
  end if;
end $$;
alter table regions add constraint regions_code_is_free check (code not in ('heartbeat', 'registry', 'events'));
