import { fragment, type Sql } from '../db/sql.ts';
import { monitorSubject, selectorCondition } from '../selectors/compile.ts';
import { parseSelector } from '../selectors/parse.ts';
import { matches, type Subject } from '../selectors/selector.ts';

/**
 * Locks the project's bindings by selector until the transaction ends: who changes what a monitor matches shares the
 * lock, who changes a component's selector has it alone. So neither misses what the other is about to commit. Take it
 * before the rows of monitors and components, like a quota's.
 */
export async function lockSelectorBindings(sql: Sql, projectId: string, mode: 'shared' | 'alone'): Promise<void> {
  const key = `selector bindings ${projectId}`;
  if (mode === 'shared') await sql.run`select pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`;
  else await sql.run`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}

/** Binds a component to the monitors that match its selector now, and to no others by selector; null matches none. */
export async function bindMatchingMonitors(
  sql: Sql,
  projectId: string,
  componentId: string,
  selector: string | null,
): Promise<void> {
  const condition = selector === null ? fragment`false` : selectorCondition(parseSelector(selector), monitorSubject);
  await sql.once`
    with matched as (
      select m.id
      from monitors m
      where m.project_id = ${projectId}
        and m.deleted_at is null
        and ${condition}
    ), unmatched as (
      select monitor_id, by_id
      from component_monitors
      where component_id = ${componentId}
        and by_selector
        and monitor_id not in (select id from matched)
    ), kept as (
      update component_monitors b
      set by_selector = false
      from unmatched u
      where b.component_id = ${componentId}
        and b.monitor_id = u.monitor_id
        and u.by_id
    ), removed as (
      delete from component_monitors b
      using unmatched u
      where b.component_id = ${componentId}
        and b.monitor_id = u.monitor_id
        and not u.by_id
    )
    insert into component_monitors as b (component_id, monitor_id, project_id, by_id, by_selector)
    select ${componentId}, id, ${projectId}, false, true
    from matched
    order by id
    on conflict (component_id, monitor_id) do update
    set by_selector = true
    where not b.by_selector`;
}

/**
 * Binds a monitor to the components whose selector matches it now. Returns those that had it before, or have it now.
 */
export async function bindMatchedMonitor(
  sql: Sql,
  projectId: string,
  subject: Subject,
): Promise<{ id: string; bound: boolean }[]> {
  const rows = await sql.rows<{ id: string; selector: string | null; bound: boolean }>`
    select c.id, c.monitor_selector as selector, b.by_selector is true as bound
    from components c
    left join component_monitors b on b.component_id = c.id and b.monitor_id = ${subject.id}
    where c.project_id = ${projectId}
      and c.deleted_at is null
      and (c.monitor_selector is not null or b.by_selector)`;
  const isMatched = (selector: string | null) => selector !== null && matches(parseSelector(selector), subject);
  const changed = rows.filter(({ selector, bound }) => isMatched(selector) !== bound);
  if (changed.length === 0) return [];
  const ids = (bound: boolean) => changed.filter(row => row.bound === bound).map(row => row.id);
  await unbind(sql, subject.id, ids(true));
  await sql.run`
    insert into component_monitors as b (component_id, monitor_id, project_id, by_id, by_selector)
    select id, ${subject.id}, ${projectId}, false, true
    from unnest(${ids(false)}::text[]) as id
    order by id
    on conflict (component_id, monitor_id) do update
    set by_selector = true`;
  return changed.map(({ id, bound }) => ({ id, bound: !bound }));
}

async function unbind(sql: Sql, monitorId: string, componentIds: readonly string[]): Promise<void> {
  await sql.run`
    with removed as (
      delete from component_monitors
      where monitor_id = ${monitorId}
        and component_id = any(${componentIds}::text[])
        and not by_id
    )
    update component_monitors
    set by_selector = false
    where monitor_id = ${monitorId}
      and component_id = any(${componentIds}::text[])
      and by_id`;
}
