-- The planner took a worker to see one row in two hundred, and sorted whole tables for each page of them. It cannot
-- know a setting, but takes "is not null" to be true.
do $$
declare
  policy record;
begin
  for policy in select * from pg_policies where schemaname = current_schema() and qual like '%app.role%' loop
    execute format(
      'alter policy %I on %I using %s',
      policy.policyname,
      policy.tablename,
      replace(
        policy.qual,
        $q$(current_setting('app.role'::text, true) = 'worker'::text)$q$,
        $q$(nullif(current_setting('app.role', true) <> 'worker', true) is not null)$q$
      )
    );
  end loop;
end
$$;

-- Counts and filters of a project by verdict.
create index on monitor_states (project_id, verdict) where not deleted;
