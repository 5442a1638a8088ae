import {
  overlapsItself,
  type Schedule,
} from '../../../../control-plane/monitoring/maintenances/occurrences/schedule.ts';
import { instantOfLocal, isTimezone } from '../../../../control-plane/platform/local-time.ts';
import type { Draft } from '../draft/draft.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, jsonOf, lineOf, listOf, numberOf, textOf } from '../draft/values.ts';
import { startOf } from '../draft/windows.ts';
import type { Item } from '../imported.ts';
import type { KumaMonitor } from './monitors.ts';
import type { KumaSource } from './source.ts';

type Links = { monitors: readonly KumaMonitor[]; pages: ReadonlyMap<number, string>; nowMs: number };

const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const firstDay = '2024-01-01';

export function putMaintenances(draft: Draft, source: KumaSource, links: Links): void {
  const server = textOf(jsonOf(source.rows('setting').find(({ key }) => key === 'serverTimezone')?.value));
  for (const row of source.rows('maintenance')) {
    const id = numberOf(row.id) ?? 0;
    const thing = draft.thing('maintenance', lineOf(row.title, 255, `maintenance ${id}`), String(id));
    const item = maintenanceItem(thing, row, source, links, server);
    if (typeof item === 'string') {
      thing.leftOut(item);
      continue;
    }
    const key = draft.keyFor('maintenances', thing.name);
    draft.put('maintenances', key, { title: thing.name, ...item });
    thing.carried(key);
  }
}

function maintenanceItem(thing: Thing, row: Item, source: KumaSource, links: Links, server: string): Item | string {
  if (!isTrue(row.active ?? 1)) return 'it is not active';
  const id = numberOf(row.id);
  const monitors = linked(source.rows('monitor_maintenance'), id, 'monitor_id').flatMap(
    monitor => links.monitors.find(one => one.id === monitor)?.key ?? [],
  );
  const pages = linked(source.rows('maintenance_status_page'), id, 'status_page_id').flatMap(
    page => links.pages.get(page) ?? [],
  );
  if (monitors.length === 0 && pages.length === 0) return 'it has no monitor and no page here';
  const timezone = zoneOf(row, server);
  if (timezone === null) return 'its time zone is not known';
  const when =
    textOf(row.strategy) === 'single' ? singleOf(row, timezone, links.nowMs) : recurringOf(thing, row, timezone);
  if (typeof when === 'string') return when;
  const description = textOf(row.description).slice(0, 25_000);
  return {
    ...(description.trim() === '' ? {} : { description }),
    scope: {
      ...(monitors.length === 0 ? {} : { monitors: monitors.slice(0, 500) }),
      ...(pages.length === 0 ? {} : { status_pages: pages.slice(0, 20) }),
    },
    ...when,
    ...(pages.length === 0 ? {} : { announced: true }),
  };
}

function linked(rows: readonly Item[], id: number | null, column: string): number[] {
  return [...new Set(rows.filter(row => numberOf(row.maintenance_id) === id).map(row => numberOf(row[column]) ?? 0))];
}

function zoneOf(row: Item, server: string): string | null {
  const given = textOf(row.timezone);
  const zone = given === '' || given === 'SAME_AS_SERVER' ? server || 'UTC' : given;
  return isTimezone(zone) ? zone : null;
}

function singleOf(row: Item, timezone: string, nowMs: number): Item | string {
  const instant = (text: string) => instantOfLocal(Date.parse(`${text.replace(' ', 'T').slice(0, 16)}:00Z`), timezone);
  const [starts, ends] = [localOf(row.start_date), localOf(row.end_date)].map(text =>
    text === null ? null : instant(text),
  );
  if (starts == null || ends == null) return 'it has no beginning or no end';
  if (ends <= nowMs) return 'it is over';
  const isFitting = ends - starts >= 60_000 && ends - starts <= 30 * 86_400_000 && starts > nowMs - 89 * 86_400_000;
  if (!isFitting || starts > nowMs + 399 * 86_400_000) return 'it is longer than 30 days, or too far away';
  return { starts_at: new Date(starts).toISOString(), ends_at: new Date(ends).toISOString() };
}

function localOf(value: unknown): string | null {
  const text = textOf(value).replace(' ', 'T');
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(`${text.slice(0, 16)}:00Z`)) ? text : null;
}

function recurringOf(thing: Thing, row: Item, timezone: string): Item | string {
  const rule = ruleOf(thing, row);
  if (typeof rule === 'string') return rule;
  const { time, seconds } = rule;
  if (seconds < 60 || seconds > 604_800) return 'it lasts less than a minute, or more than a week';
  const until = localOf(row.end_date);
  const end = until === null ? null : instantOfLocal(Date.parse(`${until.slice(0, 16)}:00Z`), timezone);
  const last = end === null ? '' : `;UNTIL=${new Date(end).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const schedule: Omit<Schedule, 'start'> = {
    timezone,
    duration_seconds: seconds,
    rrule: `${rule.rrule}${last}`,
    exclude: [],
  };
  const given = localOf(row.start_date)?.slice(0, 10) ?? firstDay;
  const start = startOf(schedule, given < '2000' || given >= '2099' ? firstDay : given, time);
  if (start === null) return 'it never begins';
  if (overlapsItself({ ...schedule, start })) return 'it lasts into its next time';
  const { exclude: _, ...written } = schedule;
  return { schedule: { start, ...written } };
}

type Rule = { rrule: string; time: string; seconds: number };

function ruleOf(thing: Thing, row: Item): Rule | string {
  const strategy = textOf(row.strategy);
  if (strategy === 'manual') return 'windows by hand have no equivalent: create one when it is needed';
  if (strategy === 'cron') return cronRule(textOf(row.cron), numberOf(row.duration) ?? 0);
  const [from, to] = [clockOf(row.start_time), clockOf(row.end_time)];
  if (from === null || to === null) return 'it has no time of the day';
  const seconds = (to.minutes - from.minutes) * 60;
  const timed = { time: from.text, seconds: seconds <= 0 ? seconds + 86_400 : seconds };
  switch (strategy) {
    case 'recurring-interval': {
      const days = numberOf(row.interval_day) || 1;
      return days > 366 ? 'it is further apart than a year' : { rrule: `FREQ=DAILY;INTERVAL=${days}`, ...timed };
    }
    case 'recurring-weekday': {
      const days = listOf(jsonOf(row.weekdays)).flatMap(day => weekdays[(numberOf(day) ?? -1) % 7] ?? []);
      return days.length === 0
        ? 'it has no weekday'
        : { rrule: `FREQ=WEEKLY;BYDAY=${[...new Set(days)].join(',')}`, ...timed };
    }
    case 'recurring-day-of-month': {
      const days = listOf(jsonOf(row.days_of_month)).flatMap(day => dayOfMonth(textOf(day)) ?? []);
      if (days.length === 0) return 'it has no day of the month';
      if (days.some(day => day < -1)) thing.changed('days_of_month', null, null, 'Kuma itself runs only the last day');
      return { rrule: `FREQ=MONTHLY;BYMONTHDAY=${[...new Set(days)].join(',')}`, ...timed };
    }
    default:
      return `windows of the strategy ${strategy} have no equivalent`;
  }
}

function dayOfMonth(text: string): number | null {
  const fromEnd = /^lastDay([1-4])$/.exec(text)?.[1];
  if (fromEnd !== undefined) return -Number(fromEnd);
  const day = Number(text);
  return Number.isInteger(day) && day >= 1 && day <= 31 ? day : null;
}

function clockOf(value: unknown): { text: string; minutes: number } | null {
  const [, hour, minute] = /^(\d{1,2}):(\d\d)/.exec(textOf(value)) ?? [];
  if (hour === undefined || minute === undefined || Number(hour) > 23 || Number(minute) > 59) return null;
  return { text: `${hour.padStart(2, '0')}:${minute}`, minutes: Number(hour) * 60 + Number(minute) };
}

/** One time of the day, on all days, on weekdays or on days of the month; others have no equivalent. */
function cronRule(cron: string, seconds: number): Rule | string {
  const none = `the cron expression ${cron.slice(0, 100)} has no equivalent`;
  const [minute = '', hour = '', days = '', months = '', week = '', ...more] = cron.trim().split(/\s+/);
  const clock = clockOf(`${hour}:${minute.padStart(2, '0')}`);
  if (clock === null || !/^\d{1,2}$/.test(minute) || months !== '*' || more.length > 0) return none;
  const timed = { time: clock.text, seconds };
  if (days === '*' && week === '*') return { rrule: 'FREQ=DAILY', ...timed };
  if (days === '*' && /^[0-7](?:,[0-7])*$/.test(week)) {
    const chosen = new Set(week.split(',').map(day => weekdays[Number(day) % 7]));
    return { rrule: `FREQ=WEEKLY;BYDAY=${[...chosen].join(',')}`, ...timed };
  }
  if (week === '*' && /^(?:\d{1,2}|L)(?:,(?:\d{1,2}|L))*$/.test(days)) {
    const chosen = days.split(',').map(day => (day === 'L' ? -1 : Number(day)));
    if (chosen.every(day => day === -1 || (day >= 1 && day <= 31)))
      return { rrule: `FREQ=MONTHLY;BYMONTHDAY=${[...new Set(chosen)].join(',')}`, ...timed };
  }
  return none;
}
