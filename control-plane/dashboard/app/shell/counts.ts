import type { List } from '../data/api.ts';
import { useApp } from '../state/app.ts';
import { useLoad } from '../state/load.ts';

/** What the navigation counts; null where the token may not look, or before it is known. */
export type Counts = { alerts: number | null; incidents: number | null };

const countedMax = 200;
const none: Counts = { alerts: null, incidents: null };

export function useCounts(): Counts {
  const { api, can } = useApp();
  const count = async (scope: string, path: string, state: string): Promise<number | null> => {
    if (!can(scope)) return null;
    return (await api.get<List<unknown>>(path, { state, limit: countedMax })).data.length;
  };
  const load = useLoad<Counts>(
    'counts',
    async () => {
      const [alerts, incidents] = await Promise.all([
        count('alerts:read', '/v0/alerts', 'open'),
        count('incidents:read', '/v0/incidents', 'investigating,identified,monitoring'),
      ]);
      return { alerts, incidents };
    },
    10_000,
  );
  return load.value ?? none;
}
