import { plural } from '../../kit/plural.ts';
import type { Component, StatusPage } from '../../session/api-types.ts';

/** `driven by 2 monitors`: those that are listed and those that its selector matches. */
export function describeDrivers(
  component: Pick<Component, 'monitor_ids' | 'matched_monitor_ids' | 'matched_truncated'>,
): string {
  const count = new Set([...component.monitor_ids, ...component.matched_monitor_ids]).size;
  if (component.matched_truncated) return `driven by more than ${plural(count, 'monitor')}`;
  return count === 0 ? 'no monitors' : `driven by ${plural(count, 'monitor')}`;
}

/** A component that a monitor drives, its page, and what binds them. */
type Publication = { component: Component; page: StatusPage | undefined; reason: string };

/** Where a monitor is published, by page and in the order of the page. */
export function publishedBy(
  monitorId: string,
  components: readonly Component[],
  pages: readonly StatusPage[],
): Publication[] {
  const driven = components.filter(
    ({ monitor_ids, matched_monitor_ids }) =>
      monitor_ids.includes(monitorId) || matched_monitor_ids.includes(monitorId),
  );
  return driven
    .map(component => ({
      component,
      page: pages.find(({ id }) => id === component.status_page_id),
      reason: component.monitor_ids.includes(monitorId) ? 'chosen' : `matches ${component.monitor_selector}`,
    }))
    .sort(
      (left, right) =>
        (left.page?.name ?? '').localeCompare(right.page?.name ?? '') ||
        left.component.position - right.component.position,
    );
}
