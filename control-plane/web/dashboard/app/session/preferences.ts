import { effect, signal } from '@preact/signals';
import type { Zone } from './time.ts';
import { offsetAt } from './zoned-time.ts';

export type Theme = 'system' | 'light' | 'dark';

/** What the server keeps of a person's choices; a zone of null is the browser's. */
export type Kept = { theme: Theme; timezone: string | null };

/** The user's choices: in this browser, and of people wherever they sign in (`followPerson`). */
export function openPreferences(storage: Storage = localStorage) {
  const theme = signal<Theme>(read(storage, 'theme', ['system', 'light', 'dark']));
  const zone = signal<Zone>(readZone(storage));
  const density = signal<'normal' | 'compact'>(read(storage, 'density', ['normal', 'compact']));
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    write(storage, 'theme', theme.value);
  });
  effect(() => write(storage, 'zone', zone.value));
  effect(() => {
    document.documentElement.dataset.density = density.value;
    write(storage, 'density', density.value);
  });
  return { theme, zone, density };
}

export type Preferences = ReturnType<typeof openPreferences>;

/** Takes a person's choices, and gives what they change to `keep`. Returns the function that ends it. */
export function followPerson(
  { theme, zone }: Pick<Preferences, 'theme' | 'zone'>,
  kept: Kept,
  keep: (changed: Kept) => void,
): () => void {
  theme.value = kept.theme;
  zone.value = zoneOf(kept.timezone);
  let known = JSON.stringify(kept);
  return effect(() => {
    const chosen = { theme: theme.value, timezone: timezoneOf(zone.value) };
    if (JSON.stringify(chosen) === known) return;
    known = JSON.stringify(chosen);
    keep(chosen);
  });
}

/** As the server names a zone. */
export function timezoneOf(zone: Zone): string | null {
  if (zone === 'local') return null;
  return zone === 'utc' ? 'UTC' : zone;
}

/** The zone of the server's name; the browser's for one that it does not know. */
export function zoneOf(timezone: string | null): Zone {
  if (timezone === 'UTC') return 'utc';
  return timezone === null || offsetAt(0, timezone) === null ? 'local' : timezone;
}

function readZone(storage: Pick<Storage, 'getItem'>): Zone {
  const stored = attempt(() => storage.getItem('upquorum zone')) ?? 'utc';
  return stored === 'local' || offsetAt(0, stored) !== null ? stored : 'utc';
}

/** The stored choice; the first one if there is none or it is unknown. */
export function read<Choice extends string>(
  storage: Pick<Storage, 'getItem'>,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const stored = attempt(() => storage.getItem(`upquorum ${name}`));
  return choices.find(choice => choice === stored) ?? choices[0];
}

function write(storage: Storage, name: string, value: string): void {
  attempt(() => storage.setItem(`upquorum ${name}`, value));
}

/** Browsers may forbid storage altogether. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}
