import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { UsageError } from '../frame/failure.ts';
import { nearest } from '../frame/nearest.ts';
import { counted } from '../frame/text.ts';

type Plan = Schemas['ConfigPlan'];
type Severity = 'p1' | 'p2' | 'p3';

/** What a plan must not do. */
export type Gate =
  | { name: 'missed'; severity: Severity }
  | { name: 'late'; seconds: number }
  | { name: 'noise'; alerts: number }
  | { name: 'deletes' }
  | { name: 'drift' }
  | { name: 'unproven' };

const names = ['missed', 'late', 'noise', 'deletes', 'drift', 'unproven'] as const;
const forms = 'missed[=p1|p2|p3], late=SECONDS, noise[=N], deletes, drift, unproven';

/** Pure: the gates of `--fail-on`. Throws a UsageError. */
export function parseGates(text: string | null): Gate[] {
  if (text === null) return [];
  return text.split(',').map(given => {
    const [name = '', value] = given.trim().split('=');
    const gate = gateOf(name, value);
    if (gate !== null) return gate;
    const near = nearest(name, names);
    const meant = near === null || near === name ? '' : `Did you mean ${near}? `;
    throw new UsageError(`--fail-on has no ${given.trim() || 'empty'} gate`, `${meant}There are ${forms}.`);
  });
}

function gateOf(name: string, value: string | undefined): Gate | null {
  const count = value === undefined || !/^\d{1,9}$/.test(value) ? null : Number(value);
  switch (name) {
    case 'missed':
      if (value === undefined) return { name, severity: 'p3' };
      return value === 'p1' || value === 'p2' || value === 'p3' ? { name, severity: value } : null;
    case 'late':
      return count === null ? null : { name, seconds: count };
    case 'noise':
      if (value === undefined) return { name, alerts: 0 };
      return count === null ? null : { name, alerts: count };
    case 'deletes':
    case 'drift':
    case 'unproven':
      return value === undefined ? { name } : null;
    default:
      return null;
  }
}

/** Pure: whether a gate reads the back-test of a plan. */
export function needsBacktest({ name }: Gate): boolean {
  return name !== 'deletes' && name !== 'drift';
}

/** Pure: a line for each reason why a plan does not pass the gates. */
export function failuresOf(plan: Plan, gates: readonly Gate[]): string[] {
  return gates.flatMap(gate => failures(plan, gate));
}

function failures({ backtest, actions, counts }: Plan, gate: Gate): string[] {
  switch (gate.name) {
    case 'missed':
      // What has no severity any more may have been severe.
      return (backtest?.gone ?? [])
        .filter(({ severity }) => severity === null || severity <= gate.severity)
        .map(
          alert => `missed: ${alert.monitor_key} ${alert.alert_id ?? 'an alert'} at ${alert.opened_at} would be gone`,
        );
    case 'late':
      return (backtest?.moved ?? [])
        .filter(({ opened_ms }) => opened_ms > gate.seconds * 1000)
        .map(alert => {
          const seconds = Math.round(alert.opened_ms / 1000);
          return `late: ${alert.monitor_key} ${alert.alert_id ?? 'an alert'} would open ${seconds} s later`;
        });
    case 'noise': {
      const added = backtest?.new ?? [];
      if (added.length <= gate.alerts) return [];
      return added.map(alert => `noise: ${alert.monitor_key} would have a new alert at ${alert.opened_at}`);
    }
    case 'deletes':
      return counts.delete === 0 ? [] : [`deletes: ${counted(counts.delete, 'resource')} would be deleted`];
    case 'drift':
      return actions.flatMap(({ type, key, drift }) => {
        if (drift === null) return [];
        return [`drift: ${type} ${key} was changed by ${drift.actor.name ?? drift.actor.id} at ${drift.at}`];
      });
    case 'unproven':
      return actions.flatMap(({ key, backtest: own }) => {
        if (own === null) return [];
        if ('skipped' in own) return [`unproven: ${key} was not judged again (${own.skipped.replaceAll('_', ' ')})`];
        return own.not_replayable.map(
          ({ pointer, reason }) => `unproven: ${key} ${pointer} (${reason.replaceAll('_', ' ')})`,
        );
      });
    default:
      return gate satisfies never;
  }
}
