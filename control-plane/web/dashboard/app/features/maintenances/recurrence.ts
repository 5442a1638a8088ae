import { instantOf, localOf } from '../../session/zoned-time.ts';

export const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

type Monthly = 'monthly' | 'nth_weekday' | 'last_weekday';
export type Repeat = 'none' | 'daily' | 'weekly' | Monthly | 'yearly' | 'custom';
/** How something recurs while it is edited; what the builder has no fields for is `custom`, as RFC 5545 writes it. */
export type Recurrence = {
  repeat: Repeat;
  interval: string;
  weekdays: readonly string[];
  ends: 'never' | 'count' | 'until';
  count: string;
  /** The last date, local. */
  until: string;
  custom: string;
};

export const noRecurrence: Recurrence = {
  repeat: 'none',
  interval: '1',
  weekdays: [],
  ends: 'never',
  count: '10',
  until: '',
  custom: '',
};

/** Where a local start such as `2026-12-01T02:00` stands in its week, month and year. */
function positionOf(start: string) {
  const date = new Date(`${start.slice(0, 10)}T00:00:00Z`);
  const isValid = !Number.isNaN(date.getTime());
  const [year, month, day] = isValid ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()] : [2026, 0, 1];
  const weekday = isValid ? (date.getUTCDay() + 6) % 7 : 0;
  const daysInMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return { month, day, weekday, nth: Math.ceil(day / 7), isLast: day + 7 > daysInMonth };
}

/** The code of the weekday of a local start. */
export function weekdayOfStart(start: string): string {
  return weekdayCodes[positionOf(start).weekday] ?? 'MO';
}

/** The ways to repeat that begin with this start, as they are offered. */
export function repeatChoices(start: string): readonly (readonly [Repeat, string])[] {
  const { month, day, weekday, nth, isLast } = positionOf(start);
  const name = weekdayNames[weekday] ?? '';
  return [
    ['none', 'Does not repeat'],
    ['daily', 'Every day'],
    ['weekly', 'Every week'],
    ['monthly', `Every month on day ${day}`],
    ...(nth < 5 ? ([['nth_weekday', `Every month on the ${ordinals[nth - 1]} ${name}`]] as const) : []),
    ...(isLast ? ([['last_weekday', `Every month on the last ${name}`]] as const) : []),
    ['yearly', `Every year on ${day} ${monthNames[month]}`],
    ['custom', 'By a rule (RRULE)'],
  ];
}

/** The rule in the form that the API takes; '' if it does not repeat. */
export function ruleOf(recurrence: Recurrence, start: string, timeZone: string): string {
  const { repeat, interval, ends } = recurrence;
  if (repeat === 'none') return '';
  if (repeat === 'custom') return recurrence.custom.trim().replace(/^RRULE:/i, '');
  const parts = [...frequencyOf(recurrence, start)];
  if (interval.trim() !== '1') parts.push(`INTERVAL=${interval.trim()}`);
  if (ends === 'count') parts.push(`COUNT=${recurrence.count.trim()}`);
  if (ends === 'until') parts.push(`UNTIL=${untilOf(recurrence.until, timeZone)}`);
  return parts.join(';');
}

function frequencyOf({ repeat, weekdays }: Recurrence, start: string): readonly string[] {
  const { day, weekday, nth } = positionOf(start);
  const code = weekdayCodes[weekday] ?? 'MO';
  switch (repeat) {
    case 'daily':
      return ['FREQ=DAILY'];
    case 'weekly':
      return ['FREQ=WEEKLY', `BYDAY=${weekdayCodes.filter(each => weekdays.includes(each)).join(',') || code}`];
    case 'monthly':
      return ['FREQ=MONTHLY', `BYMONTHDAY=${day}`];
    case 'nth_weekday':
      return ['FREQ=MONTHLY', `BYDAY=${nth}${code}`];
    case 'last_weekday':
      return ['FREQ=MONTHLY', `BYDAY=-1${code}`];
    default:
      return ['FREQ=YEARLY'];
  }
}

/** The end of a local date, as RFC 5545 writes it in UTC. */
function untilOf(date: string, timeZone: string): string {
  const ms = instantOf(`${date}T23:59:59`, timeZone);
  return ms === null ? date : `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** What the builder shows for a rule; `custom` for one that its fields cannot give. */
export function recurrenceOf(rule: string, start: string, timeZone: string): Recurrence {
  const given = completed(rule, start);
  const parts = partsOf(given);
  const until = parts.get('UNTIL') ?? '';
  const untilMs = Date.parse(until.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const recurrence: Recurrence = {
    repeat: repeatOf(parts),
    interval: parts.get('INTERVAL') ?? '1',
    weekdays: (parts.get('BYDAY') ?? '').split(',').filter(code => weekdayCodes.some(each => each === code)),
    ends: parts.has('COUNT') ? 'count' : parts.has('UNTIL') ? 'until' : 'never',
    count: parts.get('COUNT') ?? noRecurrence.count,
    until: Number.isNaN(untilMs) ? '' : localOf(untilMs, timeZone).slice(0, 10),
    custom: rule,
  };
  const isSame = normalised(ruleOf(recurrence, start, timeZone)) === normalised(given);
  return isSame ? recurrence : { ...noRecurrence, repeat: 'custom', custom: rule };
}

/** With the day that follows from the start, where a rule leaves it out. */
function completed(rule: string, start: string): string {
  if (/\bBY/.test(rule)) return rule;
  if (rule.includes('FREQ=WEEKLY')) return `${rule};BYDAY=${weekdayOfStart(start)}`;
  return rule.includes('FREQ=MONTHLY') ? `${rule};BYMONTHDAY=${positionOf(start).day}` : rule;
}

function partsOf(rule: string): ReadonlyMap<string, string> {
  return new Map(rule.split(';').map(part => part.split('=') as [string, string]));
}

function repeatOf(parts: ReadonlyMap<string, string>): Repeat {
  const days = parts.get('BYDAY') ?? '';
  switch (parts.get('FREQ')) {
    case 'DAILY':
      return 'daily';
    case 'WEEKLY':
      return 'weekly';
    case 'MONTHLY':
      return days === '' ? 'monthly' : days.startsWith('-') ? 'last_weekday' : 'nth_weekday';
    default:
      return 'yearly';
  }
}

function normalised(rule: string): string {
  return rule.split(';').sort().join(';');
}

/** `Every 2 weeks on Tuesday and Thursday, until 2027-06-30`; a rule beyond the builder as it is written. */
export function describeRecurrence(recurrence: Recurrence, start: string): string {
  const { repeat, interval, weekdays, ends, count, until } = recurrence;
  if (repeat === 'none') return 'Once';
  if (repeat === 'custom') return recurrence.custom;
  const end = ends === 'count' ? `, ${count} times` : ends === 'until' ? `, until ${until}` : '';
  const chosen = repeatChoices(start).find(([each]) => each === repeat)?.[1] ?? '';
  const [, , unit = '', rest = ''] = /^(Every) (\w+)(.*)$/.exec(chosen) ?? [];
  const every = interval === '1' ? `Every ${unit}` : `Every ${interval} ${unit}s`;
  const named = weekdayCodes.flatMap((code, index) => (weekdays.includes(code) ? (weekdayNames[index] ?? '') : []));
  const days = repeat === 'weekly' ? ` on ${listOf(named)}` : rest;
  return `${every}${days}${end}`;
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
