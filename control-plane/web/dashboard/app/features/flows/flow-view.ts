import type { Flow, StoredEvent } from '../../session/api-types.ts';

type Group = 'release' | 'day' | 'hour' | 'property' | 'none';
/** What a flow's view shows, by its address. */
export type FlowView = { days: number; group: Group; property: string };

export const rangeChoices = [
  ['1', '24 hours'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
] as const;
const groups: readonly (readonly [Group, string])[] = [
  ['release', 'release'],
  ['day', 'day'],
  ['hour', 'hour'],
  ['property', 'property'],
  ['none', 'nothing'],
];
/** The most hours that the API groups. */
const hourlyDaysMax = 30;
const offeredMax = 50;

export function groupChoices(days: number) {
  return groups.filter(([group]) => group !== 'hour' || days <= hourlyDaysMax);
}

export function readFlowView(query: URLSearchParams): FlowView {
  const days = Number(rangeChoices.find(([value]) => value === query.get('days'))?.[0] ?? 7);
  const group = groupChoices(days).find(([value]) => value === query.get('by'))?.[0] ?? 'release';
  return { days, group, property: query.get('property') ?? '' };
}

/** The report's query. Without the name of a property nothing is grouped. */
export function groupQuery({ group, property }: FlowView) {
  if (group !== 'property') return { group_by: group };
  return property === '' ? { group_by: 'none' as const } : { group_by: group, property };
}

/** Names of properties that the first step has: those of its conditions, and of events with its name. */
export function propertiesOf({ steps: [first] }: Pick<Flow, 'steps'>, events: readonly StoredEvent[]): string[] {
  const names = new Set(first?.where?.map(({ prop }) => prop) ?? []);
  for (const { props } of events) for (const name of Object.keys(props ?? {})) names.add(name);
  return [...names].slice(0, offeredMax).sort();
}
