import type { Sql } from '../platform/db/sql.ts';
import { queueWebhookEvent } from './notifications/webhooks/queue-event.ts';

type Erasure = { projectId: string; id: string; events: number };

/** Notifies webhooks that a user's events are gone, without the user. */
export const erasureHooks = {
  done: (sql: Sql, { projectId, id, events }: Erasure, nowMs: number): Promise<void> =>
    queueWebhookEvent(sql, { projectId, kind: 'erasure.done', subject: id, data: { id, events } }, nowMs),
};
