import { type Api, read } from '../../../session/api.ts';
import type { Monitor } from '../../../session/api-types.ts';
import { readAll } from '../../../session/read-all.ts';

const monitorsMax = 5000;
/** A selector names no more. */
const idsMax = 30;
const summary = { include: 'summary' as const };
/** More than a screen. */
const firstMax = 50;

/**
 * All monitors with their summaries; of a known list, only those that changed. Of a list that is not known, `onFirst`
 * gets what can be shown at once: those that are not up, and the newest.
 */
export async function refreshMonitors(
  { client }: Pick<Api, 'client'>,
  known: readonly Monitor[] | null,
  changed: ReadonlySet<string> | null,
  onFirst: (monitors: readonly Monitor[]) => void,
): Promise<readonly Monitor[]> {
  if (known === null) onFirst(await readFirst({ client }));
  if (known === null || changed === null || changed.size > idsMax)
    return readAll(page => client.GET('/v0/monitors', { params: { query: { ...summary, ...page } } }), monitorsMax);
  if (changed.size === 0) return known;
  const selector = `@id in (${[...changed].join(',')})`;
  const query = { selector, ...summary, limit: idsMax };
  const found = await read(client.GET('/v0/monitors', { params: { query } }));
  return replaceMonitors(known, changed, found.data);
}

/** Those that changed; those that are seen too, if nothing or something else did, as a maintenance. */
export function monitorsToRead(changed: ReadonlySet<string>, visible: readonly string[]): ReadonlySet<string> {
  const monitors = [...changed].filter(id => id.startsWith('mon_'));
  const isAll = changed.size > 0 && monitors.length === changed.size;
  return new Set(isAll ? monitors : [...monitors, ...visible.slice(0, Math.max(0, idsMax - monitors.length))]);
}

async function readFirst({ client }: Pick<Api, 'client'>): Promise<readonly Monitor[]> {
  const [wrong, newest] = await Promise.all([
    read(
      client.GET('/v0/monitors', {
        params: { query: { status: ['down', 'degraded', 'undetermined'], limit: firstMax } },
      }),
    ),
    read(client.GET('/v0/monitors', { params: { query: { limit: firstMax } } })),
  ]);
  return [...new Map([...wrong.data, ...newest.data].map(monitor => [monitor.id, monitor])).values()];
}

/** Puts those that were read again in their places, new ones first, and leaves out those that are gone. */
export function replaceMonitors(
  known: readonly Monitor[],
  changed: ReadonlySet<string>,
  found: readonly Monitor[],
): readonly Monitor[] {
  const byId = new Map(found.map(monitor => [monitor.id, monitor]));
  const kept = known.flatMap(monitor => {
    if (!changed.has(monitor.id)) return [monitor];
    const next = byId.get(monitor.id);
    byId.delete(monitor.id);
    return next === undefined ? [] : [next];
  });
  return [...byId.values(), ...kept];
}
