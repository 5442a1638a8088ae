import type { Api } from './api.ts';
import type { Uptime } from './api-types.ts';
import { type Day, dateBefore, daysOf, daysShown, uptimeOf } from './days.ts';

type MonitorKey = { id: string; status: string };

/** A monitor's days. `drawn` is made once per answer: redrawing the same object costs nothing. */
export type CachedDays<Drawn> = { uptime: number | null; drawn: Drawn; status: string; loadedAt: number };

type DayCache<Drawn> = {
  /** Null until the monitor's days were loaded. */
  find(monitorId: string): CachedDays<Drawn> | null;
  /** Loads the days that are missing, stale, or older than a status change. Replaces the previous request. */
  request(monitors: readonly MonitorKey[]): void;
};

const freshMs = 300_000;
const concurrency = 3;

/** Caches the uptime of monitors; few requests run at a time, so that a long list stays below the rate limit. */
export function createDayCache<Drawn>(
  api: Pick<Api, 'get' | 'nowMs'>,
  draw: (days: readonly Day[]) => Drawn,
  onLoaded: () => void,
): DayCache<Drawn> {
  const cached = new Map<string, CachedDays<Drawn>>();
  let queue: MonitorKey[] = [];
  let loading = 0;

  const loadNext = (): void => {
    while (loading < concurrency) {
      const monitor = queue.shift();
      if (monitor === undefined) return;
      loading += 1;
      void load(monitor)
        // The next refresh requests it again.
        .catch(() => undefined)
        .finally(() => {
          loading -= 1;
          onLoaded();
          loadNext();
        });
    }
  };
  const load = async ({ id, status }: MonitorKey): Promise<void> => {
    const query = { granularity: 'day', from: dateBefore(api.nowMs(), daysShown - 1) };
    const { data } = await api.get<Uptime>(`/v0/monitors/${id}/uptime`, query);
    const days = daysOf(data, api.nowMs());
    cached.set(id, { uptime: uptimeOf(days), drawn: draw(days), status, loadedAt: api.nowMs() });
  };
  return {
    find: id => cached.get(id) ?? null,
    request: monitors => {
      queue = monitors.filter(({ id, status }) => {
        const days = cached.get(id);
        return days === undefined || days.status !== status || api.nowMs() - days.loadedAt > freshMs;
      });
      loadNext();
    },
  };
}
