import type { Sql } from '../db/sql.ts';

/** Whether a step of a route names the channel. */
export async function isChannelRouted(sql: Sql, projectId: string, channelId: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from routes
    where project_id = ${projectId}
      and steps @> jsonb_build_array(jsonb_build_object('channel_ids', jsonb_build_array(${channelId}::text)))
    limit 1`;
  return row !== null;
}
