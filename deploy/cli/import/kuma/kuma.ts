import { Draft } from '../draft/draft.ts';
import { putRoutes } from '../draft/routes.ts';
import { numberOf, textOf } from '../draft/values.ts';
import type { Choices, Imported, MonitorHistory } from '../imported.ts';
import { putDomains } from './domains.ts';
import { historyOf } from './history.ts';
import { putMaintenances } from './maintenances.ts';
import { type KumaMonitor, putMonitors } from './monitors.ts';
import { notifiedBy, putNotifications } from './notifications.ts';
import { putPages } from './pages.ts';
import type { KumaSource } from './source.ts';

const historyMs = 90 * 86_400_000;

/** Reads what Uptime Kuma 1 or 2 has. */
export function importKuma(source: KumaSource, choices: Choices): Imported {
  const draft = new Draft(choices);
  const channels = putNotifications(draft, source);
  const monitors = putMonitors(draft, source);
  const domains = putDomains(draft, source, monitors);
  putRoutes(draft, notifiedBy(source, [...monitors, ...domains], channels));
  const pages = putPages(draft, source, monitors);
  for (const { thing, key } of [...monitors, ...domains]) thing.carried(key);
  putMaintenances(draft, source, { monitors, pages, nowMs: choices.nowMs });
  reportOthers(draft, source);
  const history = choices.withHistory ? historiesOf(source, monitors, choices.nowMs) : [];
  return draft.finish('kuma', source.version, { history });
}

function historiesOf(source: KumaSource, monitors: readonly KumaMonitor[], nowMs: number): MonitorHistory[] {
  const from = nowMs - historyMs;
  return monitors.flatMap(({ id, key, row }) => {
    const intervalMs = (numberOf(row.interval) || 60) * 1000;
    const known = { beats: source.beats(id, from), buckets: source.buckets(id, from), intervalMs };
    return historyOf(key, known, { from, until: nowMs }) ?? [];
  });
}

/** What belongs to monitors without an equivalent, or to Kuma itself. */
function reportOthers(draft: Draft, source: KumaSource): void {
  const used = new Set(source.rows('monitor').map(({ proxy_id }) => numberOf(proxy_id)));
  for (const row of source.rows('proxy')) {
    const thing = draft.thing('proxy', textOf(row.host), textOf(row.id));
    if (used.has(numberOf(row.id))) thing.carried(null);
    else thing.leftOut('no monitor uses it');
  }
  for (const [table, type] of [
    ['docker_host', 'docker host'],
    ['remote_browser', 'remote browser'],
  ] as const)
    for (const row of source.rows(table))
      draft.thing(type, textOf(row.name ?? row.host), textOf(row.id)).leftOut('it is not carried');
}
