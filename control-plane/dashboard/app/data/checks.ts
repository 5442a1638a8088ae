import type { Api, List } from './api.ts';
import type { CheckResult } from './api-types.ts';

type CheckFilter = { region: string; status: string };
export type CheckList = ReturnType<typeof createCheckList>;

const pageLimit = 50;

/** A monitor's results: the newest page is reloaded with every refresh, older pages are loaded once. */
export function createCheckList(api: Pick<Api, 'get'>, monitorId: string) {
  const path = `/v0/monitors/${monitorId}/checks`;
  let filter: CheckFilter = { region: '', status: '' };
  let checks: readonly CheckResult[] = [];
  let cursor: string | null = null;

  return {
    checks: () => checks,
    filter: () => filter,
    hasOlder: () => cursor !== null,
    /** Changes the filter and empties the list; call `load` afterwards. */
    setFilter: (change: Partial<CheckFilter>): void => {
      filter = { ...filter, ...change };
      [checks, cursor] = [[], null];
    },
    /** Loads the newest page. An answer for a filter that changed meanwhile is dropped. */
    load: async (): Promise<void> => {
      const requested = filter;
      const list = await api.get<List<CheckResult>>(path, { ...requested, limit: pageLimit });
      if (requested !== filter) return;
      const ids = new Set(list.data.map(check => check.id));
      const overlaps = checks.some(check => ids.has(check.id));
      // After a long pause the pages no longer overlap: older ones are dropped rather than shown with a gap.
      const older = overlaps ? checks.filter(check => !ids.has(check.id)) : [];
      if (!overlaps || cursor === null) cursor = older.length > 0 ? cursor : list.pagination.next_cursor;
      checks = [...list.data, ...older];
    },
    loadOlder: async (): Promise<void> => {
      const requested = filter;
      const list = await api.get<List<CheckResult>>(path, { ...requested, limit: pageLimit, cursor });
      if (requested !== filter) return;
      const ids = new Set(checks.map(check => check.id));
      checks = [...checks, ...list.data.filter(check => !ids.has(check.id))];
      cursor = list.pagination.next_cursor;
    },
  };
}
