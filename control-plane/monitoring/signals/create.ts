import type pg from 'pg';
import type { RecordChange } from '../../platform/audit/record.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { MonitorServices } from '../monitors/configure.ts';
import { createMonitor } from '../monitors/create.ts';
import { monitorPostSchema, withKind } from '../monitors/monitor.ts';
import { findReceiverBySlug, lockSlug, type Receiver } from './store.ts';

export type CreateServices = MonitorServices & { pools: { api: pg.Pool }; recordChange: RecordChange };

/**
 * Makes the heartbeat of a slug that is not known, or revives the one of that name. Two at once make one. Throws
 * `limit_reached`, and `name_taken` if it was made meanwhile by somebody else.
 */
export async function createBySlug(
  services: CreateServices,
  projectId: string,
  slug: string,
  { nowMs, requestId }: { nowMs: number; requestId: string },
): Promise<{ receiver: Receiver; created: boolean } | null> {
  const parsed = monitorPostSchema.safeParse({
    kind: 'heartbeat',
    name: slug,
    interval_seconds: 86_400,
    heartbeat: { slug, grace_seconds: 3600 },
  });
  if (!parsed.success) return null;
  return transaction(
    services.pools.api,
    async sql => {
      await lockSlug(sql, projectId, slug);
      const known = await findReceiverBySlug(sql, projectId, slug);
      if (known !== null) return { receiver: known, created: false };
      const change = await createMonitor(sql, services, projectId, withKind(parsed.data), nowMs);
      const actor = { type: 'signal_key', id: projectId, name: null } as const;
      await services.recordChange(sql, { projectId, actor, via: 'api', requestId, planId: null }, change, nowMs);
      const receiver = await findReceiverBySlug(sql, projectId, slug);
      return receiver === null ? null : { receiver, created: true };
    },
    projectId,
  );
}
