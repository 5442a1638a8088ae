-- What a process knows of stored links is so for as long as none of the project is moved or deleted.
alter table session_link_passes add column removals bigint not null default 0;

-- Names the time in which no link of the project is moved or deleted, at least until this transaction ends; null if
-- one may be. Another server, or one that was started again, may have lost some: its epochs are others.
create function session_link_epoch(project text) returns text language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock_shared(hashtextextended('kept links ' || project, 0)) then
    return null;
  end if;
  -- Seen as of now: a removal that ended just before the lock was granted counts.
  return (
    select removals || ' ' || extract(epoch from pg_postmaster_start_time())
    from session_link_passes
    where project_id = project
  );
end
$$;
