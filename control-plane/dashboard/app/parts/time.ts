import { type Description, element } from '../dom/element.ts';

const units: readonly [seconds: number, symbol: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `12 s`, `5 min`, `3 h`, `2 d`: whole units, rounded down. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, symbol] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${symbol}`;
}

/** Up to two units: `1 h 12 min`. */
export function formatLongDuration(ms: number): string {
  const first = units.find(([least]) => Math.floor(ms / 1000) >= least);
  const second = first === undefined ? undefined : units[units.indexOf(first) + 1];
  if (first === undefined || second === undefined) return formatDuration(ms);
  const rest = Math.floor((ms / 1000 - Math.floor(ms / 1000 / first[0]) * first[0]) / second[0]);
  return rest === 0 ? formatDuration(ms) : `${formatDuration(ms)} ${rest} ${second[1]}`;
}

/** Date and time in UTC, to the second. */
export function formatUtc(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `5 min ago`, with the exact time on hover; views redraw every second. */
export function ago(timestamp: string, nowMs: number): Description {
  const ageMs = nowMs - Date.parse(timestamp);
  if (ageMs < -1500) return timeElement(timestamp, `in ${formatDuration(-ageMs)}`);
  return timeElement(timestamp, ageMs < 1500 ? 'now' : `${formatDuration(ageMs)} ago`);
}

/** `5 min`: the age alone, where the context says what it means. */
export function age(timestamp: string, nowMs: number): Description {
  return timeElement(timestamp, formatDuration(nowMs - Date.parse(timestamp)));
}

/** The exact time in UTC. */
export function at(timestamp: string): Description {
  return timeElement(timestamp, formatUtc(timestamp));
}

/** `started 5 min ago, lasted 3 min`, or without an end while it lasts. */
export function startedAndLasted(
  period: { started_at: string; resolved_at: string | null },
  nowMs: number,
): (Description | string)[] {
  const started = ['started ', ago(period.started_at, nowMs)];
  if (period.resolved_at === null) return started;
  const lastedMs = Date.parse(period.resolved_at) - Date.parse(period.started_at);
  return [...started, `, lasted ${formatLongDuration(lastedMs)}`];
}

function timeElement(timestamp: string, text: string): Description {
  return element('time', { datetime: timestamp, title: formatUtc(timestamp) }, text);
}
