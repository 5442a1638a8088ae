const dayMs = 86_400_000;

/** The name of the time zone in which the user reads times: `Zone` of time.ts. */
export function zoneNameOf(zone: string): string {
  if (zone === 'utc') return 'UTC';
  return zone === 'local' ? new Intl.DateTimeFormat().resolvedOptions().timeZone : zone;
}

/** Every zone that the browser knows, with UTC first. */
export function zoneNames(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter(name => name !== 'UTC')];
}

/**
 * The instant of a local time such as `2026-12-01T02:00`; null for what is no time or zone. A time that a clock change
 * skips takes the offset before it; one that exists twice is the first: so does the API.
 */
export function instantOf(local: string, timeZone: string): number | null {
  const ms = Date.parse(`${local}Z`);
  const [before, after] = [offsetAt(ms - dayMs, timeZone), offsetAt(ms + dayMs, timeZone)];
  if (before === null || after === null) return null;
  const [early, late] = [ms - before, ms - after];
  return offsetAt(late, timeZone) === after && offsetAt(early, timeZone) !== before ? late : early;
}

/** The local time at an instant as date and time fields take it: `2026-12-01T02:00`; '' for an unknown zone. */
export function localOf(ms: number, timeZone: string): string {
  const offset = offsetAt(ms, timeZone);
  return offset === null ? '' : new Date(ms + offset).toISOString().slice(0, 16);
}

/** A formatter is dear to make, and a table has many times. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timeZone, made);
  return made;
}

/** How far the zone's clocks are ahead of UTC; null for an unknown zone, or no time. */
export function offsetAt(ms: number, timeZone: string): number | null {
  if (Number.isNaN(ms)) return null;
  const whole = Math.floor(ms / 1000) * 1000;
  try {
    const parts = formatterOf(timeZone).formatToParts(whole);
    const part = (type: string) => Number(parts.find(each => each.type === type)?.value);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - whole;
  } catch {
    return null;
  }
}
