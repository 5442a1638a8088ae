import { fragment, type Sql } from '../../../platform/db/sql.ts';
import type { OnlineAgents } from './unable.ts';

/** What agents `a` can do: what a session other than the last one said of it does not count. */
export const capabilitiesOfAgent = fragment`
  case when a.capable_session = a.session_id then a.capabilities else '{}' end`;

/** The same as far as the gateway of its session, perhaps of the version before, can give it such work. */
export const abilitiesOfAgent = fragment`
  case when a.able_session = a.session_id then a.able else '{}' end`;

/** What agents `a` say that their host does not let them do. */
export const incapableOfAgent = fragment`
  case when a.able_session = a.session_id then a.incapable else '[]' end`;

/** What at least one online agent of the region `r` can do. */
export const capabilitiesOfRegion = fragment`
  array(
    select distinct word
    from agents a
    cross join lateral unnest(${capabilitiesOfAgent}) as word
    where a.region = r.code and a.online and a.revoked_at is null
    order by word
  )`;

/** What online agents of the regions can do: each set of capabilities once, of thousands of agents. */
export async function listOnline(sql: Sql, codes: readonly string[]): Promise<OnlineAgents> {
  const rows = await sql.rows<{ region: string; capabilities: string[] }>`
    select distinct a.region, ${abilitiesOfAgent} as capabilities
    from agents a
    where a.region = any(${codes}::text[])
      and a.online
      and a.revoked_at is null`;
  const online = new Map<string, string[][]>();
  for (const { region, capabilities } of rows) online.set(region, [...(online.get(region) ?? []), capabilities]);
  return online;
}
