import { effect, signal } from '@preact/signals';
import type { Zone } from './time.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The user's choices in this browser. */
export function openPreferences(storage: Storage = localStorage) {
  const theme = signal<Theme>(read(storage, 'theme', ['system', 'light', 'dark']));
  const zone = signal<Zone>(read(storage, 'zone', ['utc', 'local']));
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
