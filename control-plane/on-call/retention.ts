import { deliveryMs } from '../delivery/retention.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { deleteGroupsEndedBefore } from './alert-groups/store.ts';
import { deleteThreadsBefore } from './channels/thread-store.ts';

export const onCallRetention: readonly Retention[] = [
  { name: 'channel_threads', keepMs: deliveryMs, run: deleteThreadsBefore },
  { name: 'alert_groups', keepMs: deliveryMs, run: deleteGroupsEndedBefore },
];
