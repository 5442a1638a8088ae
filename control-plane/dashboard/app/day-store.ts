import type { Api } from './api.ts';
import type { Description } from './element.ts';
import type { Uptime } from './shapes.ts';
import { uptimeBars } from './uptime-bars.ts';
import { type Day, dateBefore, daysOf, daysShown, uptimeOf } from './uptime-days.ts';

/** Bars of one monitor, drawn once for each answer. */
export type Days = { days: readonly Day[]; uptime: number | null; bars: Description; status: string; loadedAt: number };

const freshMs = 300_000;
const atOnce = 3;

/** Keeps the days of the monitors that were shown; loads them one after another, so that a long list stays below the rate limit. */
export function createDayStore(api: Api, loaded: () => void) {
  const kept = new Map<string, Days>();
  let wanted: { id: string; status: string }[] = [];
  let loading = 0;

  const next = (): void => {
    while (loading < atOnce) {
      const monitor = wanted.shift();
      if (monitor === undefined) return;
      loading += 1;
      void load(monitor)
        // The next round asks again.
        .catch(() => undefined)
        .finally(() => {
          loading -= 1;
          loaded();
          next();
        });
    }
  };
  const load = async ({ id, status }: { id: string; status: string }): Promise<void> => {
    const query = { granularity: 'day', from: dateBefore(api.nowMs(), daysShown - 1) };
    const { data } = await api.get<Uptime>(`/v0/monitors/${id}/uptime`, query);
    const days = daysOf(data, api.nowMs());
    kept.set(id, { days, uptime: uptimeOf(days), bars: uptimeBars(days), status, loadedAt: api.nowMs() });
  };
  return {
    of: (id: string): Days | null => kept.get(id) ?? null,
    /** Asks for what is missing, old, or from before the status changed. Replaces what was wanted before. */
    want: (monitors: readonly { id: string; status: string }[]): void => {
      wanted = monitors.filter(({ id, status }) => {
        const days = kept.get(id);
        return days === undefined || days.status !== status || api.nowMs() - days.loadedAt > freshMs;
      });
      next();
    },
  };
}
export type DayStore = ReturnType<typeof createDayStore>;
