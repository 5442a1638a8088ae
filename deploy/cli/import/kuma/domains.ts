import { domainItem, hostOf } from '../draft/domains.ts';
import type { Draft } from '../draft/draft.ts';
import { isTrue, jsonOf, listOf, numberOf, textOf } from '../draft/values.ts';
import type { KumaMonitor } from './monitors.ts';
import type { KumaSource } from './source.ts';

const usualDays = [7, 14, 21];

/**
 * Puts a monitor for each domain whose end Kuma looks at beside its monitors. It notifies whom the first of them does.
 */
export function putDomains(draft: Draft, source: KumaSource, monitors: readonly KumaMonitor[]): KumaMonitor[] {
  const given = source.rows('setting').find(({ key }) => key === 'domainExpiryNotifyDays');
  const days = listOf(jsonOf(given?.value))
    .map(numberOf)
    .filter(number => number !== null);
  const seen = new Set<string>();
  return monitors.flatMap(({ id, row }) => {
    if (!isTrue(row.domain_expiry_notification) || !isTrue(row.active ?? 1)) return [];
    const host = textOf(row.hostname) || hostOf(textOf(row.url));
    const item = domainItem(host, '', days.length === 0 ? usualDays : days);
    const name = textOf(item?.url).replace('domain://', '');
    if (item === null || seen.has(name)) return [];
    seen.add(name);
    const thing = draft.thing('domain', name, name);
    const key = draft.keyFor('monitors', `domain ${name}`);
    draft.put('monitors', key, { ...item, name });
    return [{ id, key, row, thing }];
  });
}
