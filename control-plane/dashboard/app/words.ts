import type { Look } from './badge.ts';

const unknown: Look = { tone: 'unknown', shape: 'question', word: 'Unknown' };

const verdicts: Readonly<Record<string, Look>> = {
  up: { tone: 'good', shape: 'check', word: 'Up' },
  degraded: { tone: 'warn', shape: 'triangle', word: 'Degraded' },
  down: { tone: 'bad', shape: 'cross', word: 'Down' },
  undetermined: { tone: 'unknown', shape: 'question', word: 'Undetermined' },
  pending: { tone: 'quiet', shape: 'ring', word: 'Pending' },
  paused: { tone: 'quiet', shape: 'bars', word: 'Paused' },
};

const votes: Readonly<Record<string, Look>> = {
  up: { tone: 'good', shape: 'check', word: 'up' },
  warn: { tone: 'warn', shape: 'triangle', word: 'warns' },
  down: { tone: 'bad', shape: 'cross', word: 'down' },
  unknown: { tone: 'unknown', shape: 'question', word: 'unknown' },
};

const checks: Readonly<Record<string, Look>> = {
  ok: { tone: 'good', shape: 'check', word: 'OK' },
  warn: { tone: 'warn', shape: 'triangle', word: 'Warning' },
  err: { tone: 'bad', shape: 'cross', word: 'Failed' },
};

const alerts: Readonly<Record<string, Look>> = {
  open: { tone: 'bad', shape: 'cross', word: 'Open' },
  acknowledged: { tone: 'warn', shape: 'eye', word: 'Acknowledged' },
  resolved: { tone: 'good', shape: 'check', word: 'Resolved' },
};

const incidents: Readonly<Record<string, Look>> = {
  investigating: { tone: 'bad', shape: 'cross', word: 'Investigating' },
  identified: { tone: 'warn', shape: 'triangle', word: 'Identified' },
  monitoring: { tone: 'info', shape: 'eye', word: 'Monitoring' },
  resolved: { tone: 'good', shape: 'check', word: 'Resolved' },
};

const components: Readonly<Record<string, Look>> = {
  operational: { tone: 'good', shape: 'check', word: 'Operational' },
  degraded_performance: { tone: 'warn', shape: 'triangle', word: 'Degraded performance' },
  partial_outage: { tone: 'warn', shape: 'triangle', word: 'Partial outage' },
  major_outage: { tone: 'bad', shape: 'cross', word: 'Major outage' },
  under_maintenance: { tone: 'info', shape: 'gear', word: 'Under maintenance' },
  unknown,
};

const deliveries: Readonly<Record<string, Look>> = {
  sent: { tone: 'good', shape: 'check', word: 'Sent' },
  failed: { tone: 'bad', shape: 'cross', word: 'Failed' },
  queued: { tone: 'quiet', shape: 'ring', word: 'Queued' },
  held: { tone: 'warn', shape: 'bars', word: 'Held' },
  cancelled: { tone: 'quiet', shape: 'bars', word: 'Cancelled' },
};

const severities: Readonly<Record<string, Look>> = {
  p1: { tone: 'bad', shape: 'cross', word: 'P1' },
  p2: { tone: 'warn', shape: 'triangle', word: 'P2' },
  p3: { tone: 'quiet', shape: 'ring', word: 'P3' },
};

const kinds = { verdicts, votes, checks, alerts, incidents, components, deliveries, severities };

/** Shape, colour and word of a state. One that is not known yet is shown by its own name, never as good. */
export function lookOf(kind: keyof typeof kinds, state: string): Look {
  return kinds[kind][state] ?? { ...unknown, word: state.replaceAll('_', ' ') };
}

export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export const impacts = ['none', 'degraded', 'partial', 'major'] as const;
export const componentStatuses = Object.keys(components).filter(status => status !== 'unknown');

export const severityWords: Readonly<Record<string, string>> = {
  p1: 'P1 – core service down',
  p2: 'P2 – feature degraded',
  p3: 'P3 – minor issue',
};
export const impactWords: Readonly<Record<string, string>> = {
  none: 'None',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  major: 'Major outage',
};

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
