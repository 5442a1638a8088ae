import { offsetAt } from './zoned-time.ts';

/** How times are read: `utc`, `local` for the browser's zone, or a zone by its name, such as `Europe/Vienna`. */
export type Zone = string;

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

/** `5 min ago`, `in 3 h`, or `now` within a second and a half. */
export function formatAgo(timestamp: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(timestamp);
  if (ageMs < -1500) return `in ${formatDuration(-ageMs)}`;
  return ageMs < 1500 ? 'now' : `${formatDuration(ageMs)} ago`;
}

/** Date and time to the second, with the zone: `2026-11-21 10:00:00 UTC`, `2026-11-21 11:00:00 +01:00`. */
export function formatTime(timestamp: string, zone: Zone): string {
  const at = new Date(timestamp);
  if (zone === 'utc') return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const ms = aheadMs(at.getTime(), zone);
  const shifted = new Date(at.getTime() + ms);
  return `${shifted.toISOString().slice(0, 19).replace('T', ' ')} ${formatOffset(ms / 60_000)}`;
}

/** How far the clocks of the chosen zone are ahead of UTC; not at all in one that the browser does not know. */
export function aheadMs(ms: number, zone: Zone): number {
  if (zone === 'utc') return 0;
  return zone === 'local' ? -new Date(ms).getTimezoneOffset() * 60_000 : (offsetAt(ms, zone) ?? 0);
}

function formatOffset(minutes: number): string {
  const hours = Math.floor(Math.abs(minutes) / 60);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(Math.abs(minutes) % 60)}`;
}
