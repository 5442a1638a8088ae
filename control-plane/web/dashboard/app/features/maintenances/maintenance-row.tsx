import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import { formatLength, formatSpan } from '../../kit/span.ts';
import { Ago } from '../../kit/time.tsx';
import type { Maintenance } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { describeRecurrence, recurrenceOf } from './recurrence.ts';

/** `Every week on Sunday, 02:30 Europe/Berlin`; null for a window that does not recur. */
export function describeSchedule({ schedule }: Pick<Maintenance, 'schedule'>): string | null {
  if (schedule === null) return null;
  const { rrule, start, timezone } = schedule;
  return `${describeRecurrence(recurrenceOf(rrule, start, timezone), start)}, ${start.slice(11, 16)} ${timezone}`;
}

/** One window of a list. */
export function MaintenanceRow({ maintenance }: { maintenance: Maintenance }) {
  const { id, title, state, current, next, matched_monitors, announced } = maintenance;
  const look = presentation('maintenances', state);
  const schedule = describeSchedule(maintenance);
  return (
    <li class={`card row window ${state === 'in_progress' ? look.tone : 'quiet'}`} data-row>
      <div class="state">
        <Badge state={look} />
        {announced && <span class="tag">announced</span>}
      </div>
      <div class="what">
        <a class="name" href={`#/maintenance/${id}`}>
          {title}
        </a>
        {schedule !== null && <span class="reason">{schedule}</span>}
        <span class="reason">{plural(matched_monitors, 'monitor')}</span>
      </div>
      <div class="times window-times">
        <When maintenance={maintenance} />
      </div>
      <div class="do">
        {current !== null && (
          <span class="hint">
            ends <Ago at={current.ends_at} />
          </span>
        )}
        {current === null && next !== null && (
          <span class="hint">
            begins <Ago at={next.starts_at} />
          </span>
        )}
      </div>
    </li>
  );
}

/** The occurrence in progress, the next one, or the only one. */
export function When({ maintenance }: { maintenance: Maintenance }) {
  const { zone } = useApp();
  const { current, next, starts_at, ends_at } = maintenance;
  const shown = current ?? next ?? (starts_at !== null && ends_at !== null ? { starts_at, ends_at } : null);
  if (shown === null) return <>No more occurrences</>;
  return (
    <>
      {formatSpan(shown.starts_at, shown.ends_at, zone.value)} ({formatLength(shown.starts_at, shown.ends_at)})
    </>
  );
}
