import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requireWithinQuota } from '../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../quotas/store.ts';
import { countImported, type ImportAllowance } from './import-store.ts';
import { insertSubscribers } from './store.ts';
import type { SubscriberServices } from './subscribe.ts';
import type { SubscriberImport } from './subscriber.ts';

/**
 * Subscribes email addresses whose owners consented elsewhere, without a confirmation. Addresses that the page has
 * already are left unchanged, and a state that is not active is kept. Only where the operator allows it, up to a number
 * a day. Returns the number added.
 */
export async function importSubscribers(
  sql: Sql,
  services: Pick<SubscriberServices, 'keyring' | 'hashAddress'>,
  page: { projectId: string; statusPageId: string },
  posted: SubscriberImport,
  nowMs: number,
): Promise<number> {
  const subscribers = await Promise.all(
    posted.subscribers.map(async ({ email, component_ids, state }) => ({
      ...page,
      channel: 'email' as const,
      address: email,
      hash: await services.hashAddress(page.statusPageId, 'email', email),
      componentIds: component_ids,
      state,
      consent: posted.consent,
      secret: null,
      // The answers of the others are known: they are not watched.
      imported: state === 'active',
    })),
  );
  const added = await insertSubscribers(sql, services.keyring, subscribers, nowMs);
  const exceeded = await countImported(sql, page.projectId, added.length, nowMs);
  if (exceeded !== null) throw new Problem('limit_reached', refusalOf(exceeded));
  if (added.length > 0) await requireWithinQuota(sql, page.projectId, publishingCounts.subscribers);
  return added.length;
}

function refusalOf({ perDay, imported, endedReason }: ImportAllowance) {
  const detail =
    perDay === 0
      ? (endedReason ?? 'imports are switched off for this project; ask your operator')
      : `the project may import at most ${perDay} addresses a day; ask your operator for more`;
  return { detail, extra: { resource: 'subscriber_imports', maximum: perDay, used: imported } };
}
