import { newId } from '#shared/ids.ts';
import { withSql } from './control-plane.ts';

/** An open alert of a monitor, as judging makes them. Returns its id. */
export async function insertOpenAlert(databaseUrl: string, projectId: string, monitorId: string): Promise<string> {
  const id = newId('alt');
  const reason = { summary: 'x', region: null, expected: null, actual: null, status_code: null, error_code: null };
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into alerts (
        id, project_id, monitor_id, title, severity, state, regions_failing, regions, quorum, reason, started_at,
        last_seen_at, created_at
      )
      values (
        ${id}, ${projectId}, ${monitorId}, 'm is down', 'p2', 'open', '{a}', '{a}', 1, ${JSON.stringify(reason)}, now(),
        now(), now()
      )`,
  );
  return id;
}

/** A delivery that failed for good. Returns its id. */
export async function insertFailedDelivery(databaseUrl: string, projectId: string): Promise<string> {
  const id = newId('dlv');
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into deliveries (
        id, project_id, kind, channel, subject, recipient, thread, sequence, payload, state, due_at, created_at,
        ended_at
      )
      values (
        ${id}, ${projectId}, 'webhook', 'webhook', ${id}, 'whk_1', ${id}, 1, '{}', 'failed', now(), now(), now()
      )`,
  );
  return id;
}
