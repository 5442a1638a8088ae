import type { Effect, Fields } from '../../platform/audit/entry.ts';
import type { ComponentRow } from './store.ts';

/** A component for the audit: what a client sets. */
export function auditComponent(row: ComponentRow): Fields {
  return {
    status_page_id: row.status_page_id,
    name: row.name,
    description: row.description,
    group: row.group_name,
    position: row.position,
    status: row.status,
    monitor_ids: row.monitor_ids,
    monitor_selector: row.monitor_selector,
    show_uptime: row.show_uptime,
  };
}

/** What binding an id to another resource, or releasing it, does to the list there: only the id that came or went. */
export function bindingEffect(
  other: Pick<Effect, 'resource' | 'subject' | 'name'>,
  list: string,
  id: string,
  isBound: boolean,
): Effect {
  const [before, after] = isBound ? [[], [id]] : [[id], []];
  return { ...other, before: { [list]: before }, after: { [list]: after } };
}

/** The monitors that a component gained or lost by their ids. */
export function monitorEffects(
  componentId: string,
  monitors: readonly { id: string; name: string }[],
  isBound: (monitorId: string) => boolean,
): Effect[] {
  return monitors.map(({ id, name }) => {
    const monitor = { resource: 'monitor', subject: id, name } as const;
    return bindingEffect(monitor, 'component_ids', componentId, isBound(id));
  });
}
