-- Versions before 0.7.7 wrote only a part of what an alert about certificates depends on; the rest was null.
create function pg_temp.whole(watch json) returns jsonb language sql immutable as $$
  select case
    when json_typeof(watch) = 'object'
      then '{"resolvedAt": null, "flappingSince": null, "lastBad": null, "answers": null}'::jsonb || watch::jsonb
  end
$$;
update monitor_states
set certificates = (
  certificates::jsonb
  || jsonb_build_object('watch', pg_temp.whole(certificates->'watch'), 'ended', pg_temp.whole(certificates->'ended'))
)::json
where json_typeof(certificates->'watch') = 'object' or json_typeof(certificates->'ended') = 'object';
