import type { Api, List } from './api.ts';
import type { Check } from './shapes.ts';

export type CheckFilter = { region: string; status: string };

const firstPage = 50;

/** The results of a monitor: the newest page is loaded again and again, older pages once. */
export function createCheckList(api: Api, monitorId: string) {
  const path = `/v0/monitors/${monitorId}/checks`;
  let filter: CheckFilter = { region: '', status: '' };
  let checks: readonly Check[] = [];
  let cursor: string | null = null;

  return {
    checks: () => checks,
    filter: () => filter,
    hasOlder: () => cursor !== null,
    narrow: (change: Partial<CheckFilter>): void => {
      filter = { ...filter, ...change };
      [checks, cursor] = [[], null];
    },
    load: async (): Promise<void> => {
      const asked = filter;
      const list = await api.get<List<Check>>(path, { ...asked, limit: firstPage });
      if (asked !== filter) return;
      const ids = new Set(list.data.map(check => check.id));
      const meets = checks.some(check => ids.has(check.id));
      // After a long pause the pages no longer meet: the older ones are let go rather than shown with a gap.
      const older = meets ? checks.filter(check => !ids.has(check.id)) : [];
      if (!meets || cursor === null) cursor = older.length > 0 ? cursor : list.pagination.next_cursor;
      checks = [...list.data, ...older];
    },
    older: async (): Promise<void> => {
      const asked = filter;
      const list = await api.get<List<Check>>(path, { ...asked, limit: firstPage, cursor });
      if (asked !== filter) return;
      const ids = new Set(checks.map(check => check.id));
      checks = [...checks, ...list.data.filter(check => !ids.has(check.id))];
      cursor = list.pagination.next_cursor;
    },
  };
}
