/** The values of five fields, and what the text said of them that the values do not. */
export type Cron = {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** 0 is Sunday. */
  weekdays: ReadonlySet<number>;
  /** Both the day of the month and that of the week are restricted: either is enough, as cron daemons have it. */
  eitherDay: boolean;
  /** The hours are `*` or a step: an hour that clocks repeat in autumn is run twice. */
  everyHour: boolean;
};

type Field = { min: number; max: number; names: readonly string[] };

const fields: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { min: 0, max: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
];
export const cronLengthMax = 200;

/** Null for what is not five fields of numbers, names, `*`, lists, ranges and steps. */
export function parseCron(text: string): Cron | null {
  const parts = text.trim().split(/[ \t]+/);
  if (text.length > cronLengthMax || parts.length !== fields.length) return null;
  const sets = fields.map((field, index) => parseField(parts[index] ?? '', field));
  const [minutes, hours, days, months, weekdays] = sets;
  if (minutes == null || hours == null || days == null || months == null || weekdays == null) return null;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map(day => day % 7)),
    eitherDay: !isStar(parts[2]) && !isStar(parts[4]),
    everyHour: isStar(parts[1]) || parts[1]?.includes('/') === true,
  };
}

function isStar(part: string | undefined): boolean {
  return part?.startsWith('*') === true;
}

function parseField(text: string, field: Field): Set<number> | null {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const range = parseItem(item, field);
    if (range === null) return null;
    for (let value = range.from; value <= range.to; value += range.step) values.add(value);
  }
  return values;
}

function parseItem(item: string, field: Field): { from: number; to: number; step: number } | null {
  const [, range = '', step] = /^(\*|[a-z\d]+(?:-[a-z\d]+)?)(?:\/(\d{1,4}))?$/i.exec(item) ?? [];
  if (range === '' || step === '0') return null;
  const every = step === undefined ? 1 : Number(step);
  if (range === '*') return { from: field.min, to: field.max, step: every };
  const [first = '', last] = range.split('-');
  const from = numberOf(first, field);
  // A step needs a range: what `5/15` means differs between daemons.
  const to = last === undefined ? (step === undefined ? from : null) : numberOf(last, field);
  return from === null || to === null || to < from ? null : { from, to, step: every };
}

function numberOf(text: string, { min, max, names }: Field): number | null {
  const name = names.indexOf(text.toLowerCase());
  const value = name >= 0 ? name + (names.length === 12 ? 1 : 0) : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : null;
}

/** Whether a day of the calendar is one of its days. */
export function isDayOf(cron: Cron, date: { month: number; day: number; weekday: number }): boolean {
  if (!cron.months.has(date.month)) return false;
  const [ofMonth, ofWeek] = [cron.days.has(date.day), cron.weekdays.has(date.weekday)];
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}
