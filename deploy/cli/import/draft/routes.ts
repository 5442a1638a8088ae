import type { Item } from '../imported.ts';
import type { Draft } from './draft.ts';
import { textOf } from './values.ts';

/** Whom the alerts of a monitor notify: channels by key, and how often again; null: once. */
export type Notified = { monitorKey: string; channels: readonly string[]; remindMinutes: number | null };

const valuesMax = 50;
const selectorLengthMax = 1000;
const channelsMax = 20;
const stepsMax = 10;

/** One route for each set of channels: its monitors by a label that only they have, by name, or by a new label. */
export function putRoutes(draft: Draft, all: readonly Notified[]): void {
  const sets = new Map<string, Notified[]>();
  for (const notified of all) {
    const { channels, remindMinutes } = notified;
    const set = JSON.stringify([channels.toSorted(), remindMinutes]);
    if (channels.length > 0) sets.set(set, [...(sets.get(set) ?? []), notified]);
  }
  for (const set of sets.values()) {
    const [first] = set;
    if (first === undefined) continue;
    const names = first.channels.map(key => nameOf(draft, key)).join(', ');
    const key = draft.keyFor('routes', names);
    const keys = new Set(set.map(({ monitorKey }) => monitorKey));
    const selector = selectorOf(draft, keys) ?? markedBy(draft, keys, key);
    draft.put('routes', key, {
      name: key === 'unnamed' ? 'Imported' : `${names.slice(0, 80)}${/-\d+$/.exec(key)?.[0] ?? ''}`.trim(),
      match: { selector },
      steps: stepsOf(first.channels),
      ...(first.remindMinutes === null ? {} : { remind_every_minutes: first.remindMinutes }),
    });
  }
}

/** A step names at most twenty channels; more than two hundred are not notified. */
function stepsOf(channels: readonly string[]): Item[] {
  const steps: Item[] = [];
  for (let at = 0; at < channels.length && steps.length < stepsMax; at += channelsMax)
    steps.push({ after_minutes: steps.length, channels: channels.slice(at, at + channelsMax) });
  return steps;
}

function selectorOf(draft: Draft, keys: ReadonlySet<string>): string | null {
  const monitors = draft.itemsOf('monitors');
  const own = monitors.filter(({ key }) => keys.has(textOf(key)));
  const others = monitors.filter(({ key }) => !keys.has(textOf(key)));
  for (const [label, value] of Object.entries((own[0]?.labels ?? {}) as Record<string, string>)) {
    const has = ({ labels }: Item) => (labels as Record<string, string> | undefined)?.[label] === value;
    if (own.every(has) && !others.some(has) && value !== '') return `${label}=${quoted(value)}`;
  }
  const names = new Set(own.map(({ name }) => textOf(name)));
  const isShared = others.some(({ name }) => names.has(textOf(name)));
  const selector = `@name in (${[...names].map(quoted).join(', ')})`;
  return isShared || names.size > valuesMax || selector.length > selectorLengthMax ? null : selector;
}

/** Gives the monitors a label of their own. */
function markedBy(draft: Draft, keys: ReadonlySet<string>, route: string): string {
  for (const monitor of draft.itemsOf('monitors'))
    if (keys.has(textOf(monitor.key)))
      Object.assign(monitor, { labels: { ...(monitor.labels as Item | undefined), notify: route } });
  return `notify=${quoted(route)}`;
}

function nameOf(draft: Draft, channel: string): string {
  return textOf(draft.itemsOf('channels').find(({ key }) => key === channel)?.name);
}

function quoted(value: string): string {
  return /^[A-Za-z0-9_.:/+-]+$/.test(value) ? value : JSON.stringify(value);
}
