import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useApp } from '../session/app.ts';
import { formatAgo, formatDuration, formatLongDuration, formatTime } from '../session/time.ts';

type TimeProps = { at: string };

/** `5 min ago`, with the exact time on hover; it advances by itself. */
export function Ago({ at }: TimeProps) {
  return <Relative at={at} format={formatAgo} />;
}

/** `for 5 min`: the age alone. */
export function Since({ at }: TimeProps) {
  return <Relative at={at} format={formatAge} />;
}

const formatAge = (at: string, nowMs: number): string => formatDuration(nowMs - Date.parse(at));

/** Each second only the text is computed, and only another text reaches the page: a table has a hundred of them. */
function Relative({ at, format }: TimeProps & { format(at: string, nowMs: number): string }) {
  const { now, zone } = useApp();
  const text = useMemo(() => computed(() => format(at, now.value)), [at, now]);
  return (
    <time dateTime={at} title={formatTime(at, zone.value)}>
      {text}
    </time>
  );
}

/** The exact time, in the zone the user chose. */
export function At({ at }: TimeProps) {
  const { zone } = useApp();
  return <time dateTime={at}>{formatTime(at, zone.value)}</time>;
}

/** `Started 5 min ago`, and how long it lasted once it is over. */
export function Lasted({ started_at, resolved_at }: { started_at: string; resolved_at: string | null }) {
  if (resolved_at === null)
    return (
      <>
        Started <Ago at={started_at} />
      </>
    );
  return (
    <>
      Started <Ago at={started_at} />, lasted {formatLongDuration(Date.parse(resolved_at) - Date.parse(started_at))}
    </>
  );
}
