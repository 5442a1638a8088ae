import { dayMs } from '#shared/duration.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { deleteRefusalsBefore } from './notifications/email/relay-store.ts';
import { deleteOrphanedQueues } from './notifications/settle-store.ts';
import { deleteSlackThreadsBefore } from './notifications/slack/thread-store.ts';
import { deleteDeliveriesEndedBefore } from './notifications/store.ts';
import { deletePreviousSecretsBefore } from './notifications/webhooks/store.ts';

/** What is about a delivery stays as long as the delivery. */
export const deliveryMs = 90 * dayMs;

export const deliveryRetention: readonly Retention[] = [
  { name: 'deliveries', keepMs: deliveryMs, run: deleteDeliveriesEndedBefore },
  { name: 'slack_threads', keepMs: deliveryMs, run: deleteSlackThreadsBefore },
  { name: 'previous webhook secrets', keepMs: 0, run: deletePreviousSecretsBefore },
  { name: 'delivery_queues', keepMs: 0, run: sql => deleteOrphanedQueues(sql) },
  // Longer than a delivery is retried.
  { name: 'email_refusals', keepMs: 3 * dayMs, run: deleteRefusalsBefore },
];
