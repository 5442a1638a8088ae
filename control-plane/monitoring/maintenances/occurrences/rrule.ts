/** The part of RFC 5545 that recurring windows use. Weekdays count from Monday, 0. */
export type Rule = {
  frequency: Frequency;
  interval: number;
  /** With an ordinal: the n-th of the month or year, from its end if negative; null: each. */
  weekdays: readonly { weekday: number; ordinal: number | null }[];
  monthDays: readonly number[];
  months: readonly number[];
  positions: readonly number[];
  weekStart: number;
  count: number | null;
  /** The last instant at which an occurrence may start, in milliseconds. */
  untilMs: number | null;
};

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
type Frequency = (typeof frequencies)[number];

const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const lengthMax = 500;
const valuesMax = 62;

/** What is wrong with a rule. */
export class RuleError extends Error {
  override name = 'RuleError';
}

/** Parses such as `FREQ=MONTHLY;BYDAY=-1SU`. Throws `RuleError`. */
export function parseRule(text: string): Rule {
  if (text.length > lengthMax) throw new RuleError(`has more than ${lengthMax} characters`);
  const parts = readParts(text);
  const frequency = frequencies.find(name => name === parts.get('FREQ'));
  if (frequency === undefined) throw new RuleError(`needs FREQ, one of ${frequencies.join(', ')}`);
  const rule: Rule = {
    frequency,
    interval: readNumber(parts, 'INTERVAL', 1, 366) ?? 1,
    weekdays: list(parts, 'BYDAY').map(value => readWeekday(value, frequency)),
    monthDays: readNumbers(parts, 'BYMONTHDAY', -31, 31),
    months: readNumbers(parts, 'BYMONTH', 1, 12),
    positions: readNumbers(parts, 'BYSETPOS', -31, 31),
    weekStart: readWeekStart(parts),
    count: readNumber(parts, 'COUNT', 1, 1000),
    untilMs: readUntil(parts),
  };
  if (rule.count !== null && rule.untilMs !== null) throw new RuleError('has COUNT and UNTIL; only one may be given');
  if (rule.frequency === 'WEEKLY' && rule.monthDays.length > 0)
    throw new RuleError('has BYMONTHDAY, which FREQ=WEEKLY does not allow');
  if (rule.positions.length > 0 && rule.frequency !== 'MONTHLY')
    throw new RuleError('has BYSETPOS, which only FREQ=MONTHLY allows');
  if (rule.positions.length > 0 && rule.weekdays.length + rule.monthDays.length === 0)
    throw new RuleError('has BYSETPOS, which needs BYDAY or BYMONTHDAY');
  return rule;
}

const names = ['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS', 'WKST', 'COUNT', 'UNTIL'];

function readParts(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name = '', value, ...rest] = part.split('=');
    if (value === undefined || value === '' || rest.length > 0) throw new RuleError('must be NAME=VALUE;NAME=VALUE …');
    if (!names.includes(name)) throw new RuleError(`may have only ${names.join(', ')}`);
    if (parts.has(name)) throw new RuleError(`has ${name} twice`);
    parts.set(name, value);
  }
  return parts;
}

function list(parts: ReadonlyMap<string, string>, name: string): string[] {
  const values = parts.get(name)?.split(',') ?? [];
  if (values.length > valuesMax) throw new RuleError(`has more than ${valuesMax} values of ${name}`);
  return values;
}

function toNumber(text: string, name: string, min: number, max: number): number {
  const value = /^[+-]?\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max) || (min < 0 && value === 0)) {
    const range = min < 0 ? `from 1 to ${max}, or from -1 to ${min}` : `from ${min} to ${max}`;
    throw new RuleError(`has a wrong ${name}: it must be ${range}`);
  }
  return value;
}

function readNumber(parts: ReadonlyMap<string, string>, name: string, min: number, max: number): number | null {
  const text = parts.get(name);
  return text === undefined ? null : toNumber(text, name, min, max);
}

function readNumbers(parts: ReadonlyMap<string, string>, name: string, min: number, max: number): number[] {
  return [...new Set(list(parts, name).map(text => toNumber(text, name, min, max)))];
}

function readWeekday(text: string, frequency: Frequency): Rule['weekdays'][number] {
  const [, ordinal = '', name = ''] = /^([+-]?\d{0,2})([A-Z]{2})$/.exec(text) ?? [];
  const weekday = days.indexOf(name);
  if (weekday < 0) throw new RuleError('has a wrong BYDAY: it must be such as MO,TU or -1SU');
  if (ordinal === '') return { weekday, ordinal: null };
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    throw new RuleError(`has BYDAY with a number, which FREQ=${frequency} does not allow`);
  return { weekday, ordinal: toNumber(ordinal, 'BYDAY', -53, 53) };
}

function readWeekStart(parts: ReadonlyMap<string, string>): number {
  const weekday = days.indexOf(parts.get('WKST') ?? 'MO');
  if (weekday < 0) throw new RuleError(`has a wrong WKST: it must be one of ${days.join(', ')}`);
  return weekday;
}

function readUntil(parts: ReadonlyMap<string, string>): number | null {
  const text = parts.get('UNTIL');
  if (text === undefined) return null;
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== iso)
    throw new RuleError('has a wrong UNTIL: it must be in UTC, such as 20271231T235959Z');
  return ms;
}
