import { read } from '../session/api.ts';
import { useApp } from '../session/app.ts';
import { useLoad } from '../session/load.ts';

/** What the navigation counts; null where the token may not look, or before it is known. */
export type Counts = { monitors: number | null; alerts: number | null; incidents: number | null };

const none: Counts = { monitors: null, alerts: null, incidents: null };

export function useCounts(): Counts {
  const { api, can } = useApp();
  const load = useLoad<Counts>(
    'counts',
    async () => {
      if (!can('monitors:read')) return none;
      const { monitors, in_maintenance, alerts, incidents } = await read(api.client.GET('/v0/overview'));
      return {
        monitors: Math.max(0, (monitors.down ?? 0) - (in_maintenance.down ?? 0)),
        alerts: alerts?.open ?? null,
        incidents: incidents?.unresolved ?? null,
      };
    },
    5000,
    ['monitors', 'alerts', 'incidents', 'maintenances'],
  );
  return load.value ?? none;
}
