import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { countMatching } from '../../memberships/member-store.ts';
import type { MaintenancePost } from '../maintenance.ts';
import type { AnnouncingPages } from '../pages.ts';
import { occurrencesOf } from './schedule.ts';

const shownMax = 20;

/** What a maintenance would be, without writing anything. */
export async function previewMaintenance(
  sql: Sql,
  pages: Pick<AnnouncingPages, 'listScopePages'>,
  projectId: string,
  post: MaintenancePost,
) {
  const { schedule, starts_at: startsAt, ends_at: endsAt, scope } = post;
  const once = startsAt === null || endsAt === null ? [] : [{ startsAt, endsAt }];
  const planned = schedule === null ? once : occurrencesOf(schedule, 0, Number.MAX_SAFE_INTEGER, shownMax);
  return {
    occurrences: planned.map(({ startsAt, endsAt }) => ({
      starts_at: toTimestamp(startsAt),
      ends_at: toTimestamp(endsAt),
    })),
    monitors: await countMatching(sql, projectId, scope),
    components: scope.component_ids,
    status_pages: post.announced ? await pages.listScopePages(sql, scope) : [],
  };
}
