import type { Component, StatusPage } from './api-types.ts';
import { plural } from './plural.ts';

/** In the order of the public page. */
export function componentsOf(page: Pick<StatusPage, 'id'>, components: readonly Component[]): Component[] {
  return components
    .filter(({ status_page_id }) => status_page_id === page.id)
    .sort((left, right) => left.position - right.position);
}

/** `driven by 2 monitors`: those that are listed and those that its selector matches. */
export function describeDrivers(
  component: Pick<Component, 'monitor_ids' | 'matched_monitor_ids' | 'matched_truncated'>,
): string {
  const count = new Set([...component.monitor_ids, ...component.matched_monitor_ids]).size;
  if (component.matched_truncated) return `driven by more than ${plural(count, 'monitor')}`;
  return count === 0 ? 'no monitors' : `driven by ${plural(count, 'monitor')}`;
}
