import { type Description, element } from './element.ts';

const units: readonly [seconds: number, short: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** `12 s`, `5 min`, `3 h`, `2 d`: whole units, rounded down. */
export function spell(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [size, unit] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** Two units, for how long something lasted: `1 h 12 min`. */
export function spellLong(ms: number): string {
  const first = units.find(([least]) => Math.floor(ms / 1000) >= least);
  const second = first === undefined ? undefined : units[units.indexOf(first) + 1];
  if (first === undefined || second === undefined) return spell(ms);
  const rest = Math.floor((ms / 1000 - Math.floor(ms / 1000 / first[0]) * first[0]) / second[0]);
  return rest === 0 ? spell(ms) : `${spell(ms)} ${rest} ${second[1]}`;
}

/** How long ago, with the exact instant in UTC on hover; redrawn every second. */
export function ago(timestamp: string, nowMs: number): Description {
  const age = nowMs - Date.parse(timestamp);
  const text = age < -1500 ? `in ${spell(-age)}` : age < 1500 ? 'now' : `${spell(age)} ago`;
  return element('time', { datetime: timestamp, title: exact(timestamp) }, text);
}

/** Only the age, where the place says what it is the age of. */
export function age(timestamp: string, nowMs: number): Description {
  return element('time', { datetime: timestamp, title: exact(timestamp) }, spell(nowMs - Date.parse(timestamp)));
}

/** Date and time in UTC, to the second. */
export function exact(timestamp: string): string {
  return `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The exact instant as text. */
export function at(timestamp: string): Description {
  return element('time', { datetime: timestamp, title: exact(timestamp) }, exact(timestamp));
}
