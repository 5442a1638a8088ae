import { type ShownStatus, worstOf } from '../../components/status.ts';
import type { Impact, IncidentState } from '../../incidents/incident-words.ts';
import type { PageModel } from '../page-model.ts';

/** What a colour and a shape stand for; also the class in the style. */
export type Tone = 'ok' | 'slow' | 'part' | 'down' | 'work' | 'none' | 'note';

export const statusTones: Record<ShownStatus, Tone> = {
  operational: 'ok',
  degraded_performance: 'slow',
  partial_outage: 'part',
  major_outage: 'down',
  under_maintenance: 'work',
  unknown: 'none',
};
export const statusWords: Record<ShownStatus, string> = {
  operational: 'Operational',
  degraded_performance: 'Degraded performance',
  partial_outage: 'Partial outage',
  major_outage: 'Major outage',
  under_maintenance: 'Under maintenance',
  unknown: 'No data',
};
export const impactTones: Record<Impact, Tone> = { none: 'note', degraded: 'slow', partial: 'part', major: 'down' };
export const impactWords: Record<Impact, string> = {
  none: 'No impact',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  major: 'Major outage',
};
export const stateWords: Record<IncidentState, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
};

export type Headline = { status: ShownStatus; tone: Tone; text: string };

/** The whole page in one line. It never claims that all is well unless every component does. */
export function headlineOf(model: PageModel): Headline {
  const statuses = model.components.map(component => component.status);
  const status = worstOf([model.status, ...statuses]);
  const all = statuses.every(each => each === status);
  if (statuses.length === 0 && status === 'operational') return withoutComponents(model);
  return { status, tone: statusTones[status], text: headlineText(status, all) };
}

function headlineText(status: ShownStatus, all: boolean): string {
  switch (status) {
    case 'operational':
      return 'All systems operational';
    case 'unknown':
      return all ? 'No data at the moment' : 'No data for some systems';
    case 'under_maintenance':
      return all ? 'Under maintenance' : 'Some systems are under maintenance';
    case 'degraded_performance':
      return all ? 'Degraded performance' : 'Some systems are degraded';
    case 'partial_outage':
      return 'Partial outage';
    case 'major_outage':
      return all ? 'Major outage' : 'Some systems are down';
    default:
      return status satisfies never;
  }
}

/** A page that measures nothing can speak of incidents only. */
function withoutComponents(model: PageModel): Headline {
  return model.openIncidents.length === 0
    ? { status: 'operational', tone: 'ok', text: 'No open incidents' }
    : { status: 'operational', tone: 'note', text: 'An incident is open' };
}

/** Rounded down: 100% means that nothing was missed. */
export function percentText(share: number): string {
  const hundredths = Math.floor(share * 10_000 + 1e-9);
  return hundredths % 100 === 0 ? `${hundredths / 100}%` : `${(hundredths / 100).toFixed(2)}%`;
}

export function countText(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}
