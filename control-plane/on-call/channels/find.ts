import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type ChannelRow, findChannel } from './store.ts';

/** The project's channel. Throws `not_found`. */
export async function requireChannel(sql: Sql, projectId: string, id: string): Promise<ChannelRow> {
  const row = await findChannel(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  return row;
}
