import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';

/** A page of the enabled monitors of a name after an id. */
export async function listMonitorsOf(sql: Sql, name: string, afterId: string, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select m.id
    from monitors m
    where m.kind = 'domain'
      and m.deleted_at is null
      and m.enabled
      and m.own->>'name' = ${name}
      and m.id > ${afterId}
    order by m.id
    limit ${limit}`;
  return rows.map(row => row.id);
}

/** Monitors without a vote whose name was looked up for another one: they need not wait for its next lookup. */
export async function listUnheard(sql: Sql, nowMs: number, limit: number): Promise<{ id: string; name: string }[]> {
  return sql.rows`
    select m.id, l.name
    from monitors m
    join domain_lookups l on l.name = m.own->>'name'
    join monitor_states s on s.monitor_id = m.id
    where m.kind = 'domain'
      and m.deleted_at is null
      and m.enabled
      and s.votes->'registry' is null
      and l.casts
      and l.delivered
      and l.due_at > ${instant(nowMs)}
      and not ${isLeftOut('deadlines', fragment`m.id`, nowMs)}
    order by m.id
    limit ${limit}`;
}
