import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';

type Monitor = Schemas['Monitor'];

/** The monitors of a manager by their keys. */
export async function keyedMonitors({ client }: Session, manager: string): Promise<Map<string, Monitor>> {
  const monitors = new Map<string, Monitor>();
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await dataOf(client.GET('/v0/monitors', { params: { query } }));
    for (const monitor of page.data)
      if (monitor.managed_by === manager && monitor.key !== null) monitors.set(monitor.key, monitor);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return monitors;
}
