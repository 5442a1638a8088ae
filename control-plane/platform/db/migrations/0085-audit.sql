-- What changed, from what to what, and how it came. Rows of before have none of it.
alter table audit_entries
  add column actor_type text,
  add column actor_name text,
  add column via text,
  add column name text,
  add column before jsonb,
  add column after jsonb,
  add column also jsonb,
  add column request_id text,
  add column plan_id text;

-- For the retention, which goes by age alone.
create index on audit_entries (at);

create function refuse_audit_update() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the audit never change';
end
$$;
create trigger audit_entries_never_change before update on audit_entries
  for each row execute function refuse_audit_update();
