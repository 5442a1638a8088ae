-- While 0.3.0 was written, 0008, 0020 and 0022 were edited after some databases had applied them. This makes all alike.

create index if not exists incidents_status_page_id_idx
  on incidents (status_page_id)
  where resolved_at is null and deleted_at is null;
create index if not exists alerts_incident_id_idx
  on alerts (incident_id)
  where incident_id is not null;
create index if not exists events_pending_project_id_at_idx on events_pending (project_id, at);
drop index if exists events_pending_project_id_idx;

do $$
begin
  if exists (select from pg_constraint where conname = 'events_hourly_flow_id_fkey') then
    alter table events_hourly drop constraint events_hourly_flow_id_fkey;
    delete from events_hourly h
    where not exists (select from flow_versions v where v.flow_id = h.flow_id and v.version = h.version);
    alter table events_hourly add foreign key (flow_id, version) references flow_versions on delete cascade;
  end if;
  if exists (select from pg_constraint where conname = 'flow_recompute_flow_id_fkey') then
    alter table flow_recompute drop constraint flow_recompute_flow_id_fkey;
    delete from flow_recompute r
    where not exists (select from flow_versions v where v.flow_id = r.flow_id and v.version = r.version);
    alter table flow_recompute add foreign key (flow_id, version) references flow_versions on delete cascade;
  end if;
end
$$;
