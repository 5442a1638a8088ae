import type { Retention } from '../platform/timers/retention.ts';
import { deleteEndedBefore } from './dashboard/ended-session-store.ts';

export const webRetention: readonly Retention[] = [{ name: 'ended_sessions', keepMs: 0, run: deleteEndedBefore }];
