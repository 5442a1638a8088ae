import { newId } from '#shared/ids.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { ItemOutcome } from './accept.ts';
import type { ItemError, Receipt } from './event.ts';
import type { Written } from './store.ts';

/** The answer to a request. `written` has one entry for each valid item, in order; accepted are the new ones. */
export function receiptOf(outcomes: readonly ItemOutcome[], written: readonly Written[]): Receipt {
  const errors: ItemError[] = [];
  const eventIds: (string | null)[] = [];
  let [writtenIndex, accepted, duplicates] = [0, 0, 0];
  for (const [index, outcome] of outcomes.entries()) {
    const stored = 'event' in outcome ? (written[writtenIndex++] ?? null) : null;
    eventIds.push(stored?.id ?? null);
    if ('errors' in outcome) errors.push(...outcome.errors);
    else if (stored === null)
      errors.push({ index, pointer: `/${index}`, code: 'format', detail: 'could not be stored' });
    else if (stored.duplicate) duplicates += 1;
    else accepted += 1;
  }
  const received = outcomes.length;
  const counts = { received, accepted, duplicates, rejected: received - accepted - duplicates };
  return { receipt_id: newId('rcp'), ...counts, event_ids: eventIds, errors };
}

/** The answer to a request of which nothing was stored. */
export function refusalOf(errors: readonly ItemError[]): Problem {
  const onlyReleases = errors.every(error => error.code === 'release_not_ingestible');
  return new Problem(onlyReleases ? 'release_not_ingestible' : 'validation_failed', { extra: { errors } });
}
