import { fragment, type Sql } from '../../platform/db/sql.ts';
import { monitorSubject, selectorCondition } from '../../platform/selectors/compile.ts';
import { parseSelector } from '../../platform/selectors/parse.ts';
import { matches, type Subject } from '../../platform/selectors/selector.ts';
import { insertBindings, withoutUnwanted } from './binding-row-store.ts';

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
    ), unwanted as (
      select component_id, monitor_id
      from component_monitors
      where component_id = ${componentId}
        and by_selector
        and monitor_id not in (select id from matched)
    ), ${withoutUnwanted('by_selector')}
    ${insertBindings('by_selector', projectId, fragment`select ${componentId}::text, id from matched`)}`;
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
  const added = fragment`select unnest(${ids(false)}::text[]), ${subject.id}::text`;
  await sql.run`
    with unwanted as (
      select component_id, monitor_id
      from component_monitors
      where monitor_id = ${subject.id}
        and component_id = any(${ids(true)}::text[])
        and by_selector
    ), ${withoutUnwanted('by_selector')}
    ${insertBindings('by_selector', projectId, added)}`;
  return changed.map(({ id, bound }) => ({ id, bound: !bound }));
}
