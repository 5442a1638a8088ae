import type { Condition } from '../../monitoring/notices/notice.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listFailingChannels } from './health-store.ts';

/** Channels that fail now, of all projects. */
export async function channelConditions(sql: Sql): Promise<Condition[]> {
  return (await listFailingChannels(sql)).map(({ id, name, project_id, failing_since }) => ({
    projectId: project_id,
    kind: 'channel.failing',
    subjectType: 'channel',
    subjectId: id,
    subjectName: name,
    distinction: '',
    sinceMs: failing_since,
    afterMs: 0,
    title: `Channel ${name} is failing`,
    detail: 'Its messages do not arrive. The channel shows its last error.',
  }));
}
