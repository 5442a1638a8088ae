import { formatAgo, formatDuration, formatLongDuration, formatTime } from '../data/time.ts';
import { useApp } from '../state/app.ts';

type TimeProps = { at: string };

/** `5 min ago`, with the exact time on hover; it advances by itself. */
export function Ago({ at }: TimeProps) {
  const { now, zone } = useApp();
  return (
    <time dateTime={at} title={formatTime(at, zone.value)}>
      {formatAgo(at, now.value)}
    </time>
  );
}

/** `for 5 min`: the age alone. */
export function Since({ at }: TimeProps) {
  const { now, zone } = useApp();
  return (
    <time dateTime={at} title={formatTime(at, zone.value)}>
      {formatDuration(now.value - Date.parse(at))}
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
