import { presentation } from '../../kit/labels.ts';
import { Skeleton } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import type { PlannedOccurrence } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { instantOf, localOf, zoneNameOf } from '../../session/zoned-time.ts';
import { type CalendarDay, calendarOf, datesShown, shareOfDay, stepDate, titleOf } from './calendar-grid.ts';

type Kind = 'month' | 'week';
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const shownPerDay = 4;

/** A month or a week with every occurrence in it. The date of the address chooses which. */
export function Calendar({ kind }: { kind: Kind }) {
  const { api, now, zone } = useApp();
  const [query, setQuery] = useQuery();
  const timeZone = zoneNameOf(zone.value);
  const today = localOf(now.value, timeZone).slice(0, 10);
  const asked = query.get('date') ?? '';
  const date = Number.isNaN(Date.parse(`${asked}T00:00:00Z`)) || asked.length !== 10 ? today : asked;
  const shown = datesShown(kind, date);
  const range = {
    from: new Date(instantOf(`${shown[0]}T00:00`, timeZone) ?? 0).toISOString(),
    to: new Date(instantOf(`${shown.at(-1)}T23:59:59`, timeZone) ?? 0).toISOString(),
  };
  const load = useLoad(
    `${range.from} ${range.to}`,
    () => readAll(page => api.client.GET('/v0/maintenance-occurrences', { params: { query: { ...page, ...range } } })),
    10_000,
    ['maintenances'],
  );
  const go = (next: string) => setQuery({ date: next === today ? '' : next });
  const days = calendarOf(kind, date, load.value ?? [], timeZone);
  return (
    <section class="card calendar" aria-label={`Calendar of ${titleOf(kind, date)}`}>
      <div class="calendar-head">
        <h2 aria-live="polite">{titleOf(kind, date)}</h2>
        <button type="button" aria-label={`Previous ${kind}`} onClick={() => go(stepDate(kind, date, -1))}>
          ‹
        </button>
        <button type="button" onClick={() => go(today)}>
          Today
        </button>
        <button type="button" aria-label={`Next ${kind}`} onClick={() => go(stepDate(kind, date, 1))}>
          ›
        </button>
        <span class="hint end">Times in {timeZone}</span>
      </div>
      {load.value === null && load.freshness.error !== null ? (
        <ProblemNote problem={load.freshness.error} retry={() => void load.refresh()} />
      ) : load.value === null ? (
        <Skeleton rows={4} />
      ) : (
        <Grid kind={kind} days={days} today={today} timeZone={timeZone} />
      )}
      {kind === 'month' && <p class="hint">Occurrences of recurring windows are planned 90 days ahead.</p>}
    </section>
  );
}

type GridProps = { kind: Kind; days: readonly CalendarDay<PlannedOccurrence>[]; today: string; timeZone: string };

function Grid({ kind, days, today, timeZone }: GridProps) {
  const weeks = Array.from({ length: days.length / 7 }, (_, index) => days.slice(index * 7, index * 7 + 7));
  return (
    <table class={`calendar-grid ${kind}`}>
      <thead>
        <tr>
          {weekdays.map(name => (
            <th key={name} scope="col">
              <abbr title={name}>{name.slice(0, 3)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map(week => (
          <tr key={week[0]?.date}>
            {week.map((day, index) => (
              <Day
                key={day.date}
                day={day}
                weekday={weekdays[index] ?? ''}
                isToday={day.date === today}
                timeZone={timeZone}
                max={kind === 'week' ? 20 : shownPerDay}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DayProps = {
  day: CalendarDay<PlannedOccurrence>;
  weekday: string;
  isToday: boolean;
  timeZone: string;
  max: number;
};

function Day({ day: { date, isOutside, entries }, weekday, isToday, timeZone, max }: DayProps) {
  const classes = [isOutside ? 'outside' : '', isToday ? 'today' : '', entries.length === 0 ? 'free' : ''];
  return (
    <td class={classes.join(' ').trim()}>
      <time dateTime={date} aria-current={isToday ? 'date' : undefined}>
        <span class="weekday">{weekday.slice(0, 3)} </span>
        {Number(date.slice(8))}
        <span class="unseen"> {date}</span>
      </time>
      <ul>
        {entries.slice(0, max).map(entry => (
          <Entry key={entry.id} entry={entry} date={date} timeZone={timeZone} />
        ))}
      </ul>
      {entries.length > max && <p class="hint">{plural(entries.length - max, 'more window')}</p>}
    </td>
  );
}

/** A window on a day, with a bar that shows which part of the day it takes. */
function Entry({ entry, date, timeZone }: { entry: PlannedOccurrence; date: string; timeZone: string }) {
  const { maintenance_id, title, state, starts_at, ends_at } = entry;
  const { tone, label } = presentation('maintenances', state);
  const { from, until } = shareOfDay(entry, date, timeZone);
  const [start, end] = [starts_at, ends_at].map(at => localOf(Date.parse(at), timeZone));
  const begins = start?.startsWith(date) ? start.slice(11) : '00:00';
  return (
    <li>
      <a
        class={`calendar-entry ${tone} ${state}`}
        href={`#/maintenance/${maintenance_id}`}
        title={`${title}: ${label}, ${start?.replace('T', ' ')} – ${end?.replace('T', ' ')}`}
      >
        <span class="at">{begins}</span> <span class="entry-title">{title}</span>
        <span class="part" style={{ left: `${from * 100}%`, width: `${Math.max(2, (until - from) * 100)}%` }} />
      </a>
    </li>
  );
}
