import { plural } from '../../kit/plural.ts';
import type { Monitor, Overview } from '../../session/api-types.ts';

type Described = { status: Monitor['status'] | 'maintenance'; sentence: string; details: string[] };

/** The worst of what is known, in one sentence. What nobody knows is never called well. */
export function describeOverview({ monitors, in_maintenance, alerts, deliveries, regions }: Overview): Described {
  const details: string[] = [];
  const planned = Object.values(in_maintenance).reduce((sum, count) => sum + count, 0);
  if (planned > 0) details.push(`${plural(planned, 'monitor')} in maintenance`);
  if (alerts !== null && alerts.held > 0) details.push(`${plural(alerts.held, 'alert')} held`);
  const silent = regions.filter(({ agents_online }) => agents_online === 0);
  if (silent.length > 0) details.push(`No agent online in ${silent.map(({ code }) => code).join(', ')}`);
  if (deliveries !== null && deliveries.failed > 0)
    details.push(`${plural(deliveries.failed, 'delivery', 'deliveries')} failed in 24 h`);
  if (deliveries !== null && deliveries.held > 0)
    details.push(`${plural(deliveries.held, 'delivery', 'deliveries')} held`);
  if (alerts !== null && alerts.acknowledged > 0) details.push(`${plural(alerts.acknowledged, 'alert')} acknowledged`);
  return { ...summary(monitors, in_maintenance), details };
}

/** What is in maintenance is planned: it is not what the sentence tells, unless nothing else is known. */
function summary(all: Overview['monitors'], planned: Overview['in_maintenance']): Omit<Described, 'details'> {
  const outside = (status: Monitor['status']) => Math.max(0, (all[status] ?? 0) - (planned[status] ?? 0));
  const counts = { down: outside('down'), degraded: outside('degraded'), undetermined: outside('undetermined') };
  const up = outside('up');
  const is = (count: number) => (count === 1 ? 'is' : 'are');
  const say = (status: 'down' | 'degraded' | 'undetermined') =>
    `${plural(counts[status], 'monitor')} ${is(counts[status])} ${status}`;
  if (counts.down > 0) return { status: 'down', sentence: say('down') };
  if (counts.undetermined > 0) return { status: 'undetermined', sentence: say('undetermined') };
  if (counts.degraded > 0) return { status: 'degraded', sentence: say('degraded') };
  const isPlanned = Object.values(planned).some(count => count > 0);
  if (up === 0 && isPlanned) return { status: 'maintenance', sentence: 'Nothing to report outside maintenance' };
  if (up === 0) return { status: 'pending', sentence: 'No monitor has a result yet' };
  const where = isPlanned ? ' outside maintenance' : '';
  return { status: 'up', sentence: up === 1 ? `The monitor${where} is up` : `All ${up} monitors${where} are up` };
}
