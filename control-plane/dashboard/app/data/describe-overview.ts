import type { Monitor, Overview } from './api-types.ts';
import { plural } from './plural.ts';

type Described = { status: Monitor['status']; sentence: string; details: string[] };

/** The worst of what is known, in one sentence. What nobody knows is never called well. */
export function describeOverview({ monitors, alerts, deliveries, regions }: Overview): Described {
  const { down = 0, degraded = 0, undetermined = 0, up = 0 } = monitors;
  const details: string[] = [];
  const silent = regions.filter(({ agents_online }) => agents_online === 0);
  if (silent.length > 0) details.push(`No agent online in ${silent.map(({ code }) => code).join(', ')}`);
  if (deliveries !== null && deliveries.failed > 0)
    details.push(`${plural(deliveries.failed, 'delivery', 'deliveries')} failed in 24 h`);
  if (deliveries !== null && deliveries.held > 0)
    details.push(`${plural(deliveries.held, 'delivery', 'deliveries')} held`);
  if (alerts !== null && alerts.acknowledged > 0) details.push(`${plural(alerts.acknowledged, 'alert')} acknowledged`);
  return { ...summary({ down, degraded, undetermined, up }), details };
}

function summary(counts: Record<'down' | 'degraded' | 'undetermined' | 'up', number>): Omit<Described, 'details'> {
  const is = (count: number) => (count === 1 ? 'is' : 'are');
  const say = (status: 'down' | 'degraded' | 'undetermined') =>
    `${plural(counts[status], 'monitor')} ${is(counts[status])} ${status}`;
  if (counts.down > 0) return { status: 'down', sentence: say('down') };
  if (counts.undetermined > 0) return { status: 'undetermined', sentence: say('undetermined') };
  if (counts.degraded > 0) return { status: 'degraded', sentence: say('degraded') };
  if (counts.up === 0) return { status: 'pending', sentence: 'No monitor has a result yet' };
  return { status: 'up', sentence: counts.up === 1 ? 'The monitor is up' : `All ${counts.up} monitors are up` };
}
