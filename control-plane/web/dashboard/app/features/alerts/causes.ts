import { describeFailure } from '#shared/checks/failure-words.ts';
import { plural } from '../../kit/plural.ts';
import type { Alert, AlertGroup } from '../../session/api-types.ts';

/** Alerts with the same cause, or one alert by itself. */
export type AlertCause = { group: AlertGroup | null; alerts: readonly Alert[] };

const causeWords: Readonly<Record<NonNullable<AlertGroup['cause']>['type'], string>> = {
  certificate: 'certificate',
  address: 'address',
  host: 'host',
  region: 'regions',
};

/** Puts alerts of one group together, at the place of the first of them. A group of which one is left is no group. */
export function alertsByCause(alerts: readonly Alert[], groups: readonly AlertGroup[]): AlertCause[] {
  const byId = new Map(groups.map(group => [group.id, group]));
  const members = Map.groupBy(alerts, alert => alert.group_id);
  const shown = new Set<string>();
  return alerts.flatMap((alert): AlertCause[] => {
    const together = alert.group_id === null ? [] : (members.get(alert.group_id) ?? []);
    const group = byId.get(alert.group_id ?? '');
    if (group === undefined || together.length < 2) return [{ group: null, alerts: [alert] }];
    if (shown.has(group.id)) return [];
    shown.add(group.id);
    return [{ group, alerts: together }];
  });
}

/** `Same address 203.0.113.7: the connection was refused`. */
export function describeCause({ cause }: Pick<AlertGroup, 'cause'>): string {
  if (cause === null) return 'Notified together';
  const error = cause.error_code === null ? '' : `: ${describeFailure(cause.error_code)}`;
  return `Same ${causeWords[cause.type] ?? cause.type} ${cause.value}${error}`;
}

/** `12 alerts, 3 open`. */
export function describeMembers(alerts: readonly Alert[]): string {
  const open = alerts.filter(({ state }) => state === 'open').length;
  return `${plural(alerts.length, 'alert')}, ${open} open`;
}
