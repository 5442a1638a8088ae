import { dayMs } from '#shared/duration.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { purgeIncidents } from './incidents/deleted-store.ts';
import { purgeStatusPages } from './status-pages/deleted-store.ts';
import { releaseSlugs } from './status-pages/slug-store.ts';
import { deleteConfirmationsBefore } from './subscribers/confirmation-store.ts';
import { deleteUnconfirmed } from './subscribers/store.ts';

export const publishingRetention: readonly Retention[] = [
  { name: 'unconfirmed subscribers', keepMs: 7 * dayMs, run: deleteUnconfirmed },
  { name: 'status_page_slugs', keepMs: 0, run: releaseSlugs },
  { name: 'confirmations', keepMs: 365 * dayMs, run: deleteConfirmationsBefore },
  { name: 'deleted incidents', keepMs: 30 * dayMs, run: purgeIncidents },
  { name: 'deleted status pages', keepMs: 30 * dayMs, run: purgeStatusPages },
];
