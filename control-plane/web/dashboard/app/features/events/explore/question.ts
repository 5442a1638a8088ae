import type { Plot } from '../../../kit/plot/plot-scale.ts';
import type { Trends, TrendsQuery } from '../../../session/api-types.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As many as the API answers at once. */
const namesMax = 10;

/** How far a look goes back, and in which steps. */
export const spans = {
  '48h': { label: '48 hours', granularity: 'hour', ms: 48 * hourMs },
  '7d': { label: '7 days by hour', granularity: 'hour', ms: 7 * dayMs },
  '30d': { label: '30 days', granularity: 'day', ms: 30 * dayMs },
  '90d': { label: '90 days', granularity: 'day', ms: 90 * dayMs },
  '1y': { label: 'a year by week', granularity: 'week', ms: 52 * 7 * dayMs },
} as const;
export type SpanName = keyof typeof spans;

/** What is looked at. The address holds all of it. */
export type Question = {
  names: readonly string[];
  type: 'track' | 'error';
  span: SpanName;
  measure: 'events' | 'users';
  /** Of one event alone; '' for none. */
  breakdown: string;
};

export function readQuestion(query: URLSearchParams): Question {
  const span = query.get('span') ?? '';
  const names = readNames(query.get('event') ?? '').slice(0, namesMax);
  return {
    names,
    type: query.get('type') === 'error' ? 'error' : 'track',
    span: Object.hasOwn(spans, span) ? (span as SpanName) : '30d',
    measure: query.get('measure') === 'users' ? 'users' : 'events',
    breakdown: names.length === 1 ? (query.get('by') ?? '') : '',
  };
}

function readNames(text: string): string[] {
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.filter(name => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** The names as the address holds them; '' for none. */
export function writeNames(names: readonly string[]): string {
  return names.length === 0 ? '' : JSON.stringify(names);
}

/** With the name, or without it if it was there; the first goes if there are too many. */
export function toggleName(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter(each => each !== name) : [...names, name].slice(-namesMax);
}

/** The request for a question, in the browser's zone or UTC. */
export function queryOfTrends(
  { names, type, span, breakdown }: Question,
  timezone: string,
  nowMs: number,
): TrendsQuery {
  const { granularity, ms } = spans[span];
  return {
    event: JSON.stringify(names),
    type,
    granularity,
    timezone,
    from: new Date(nowMs - ms).toISOString(),
    ...(breakdown === '' ? {} : { breakdown }),
  };
}

type Series = Trends['series'][number];

/** The name of a series: of its event, or of its value. */
export function labelOf({ event, group }: Series): string {
  if (group === null) return event;
  if (group.type !== 'value') return group.type === 'missing' ? 'not set' : 'others';
  return typeof group.value === 'string' ? group.value : JSON.stringify(group.value);
}

/** Lines of the series, with a mark for each release. Days stand at their noon, so that no zone moves them. */
export function plotOf({ series, releases, granularity }: Trends, measure: Question['measure']): Plot {
  const atOf = (bucket: string) =>
    granularity === 'hour' ? Date.parse(bucket) / 1000 : Date.parse(`${bucket}T12:00:00Z`) / 1000;
  return {
    times: series[0]?.data.map(({ bucket }) => atOf(bucket)) ?? [],
    lines: series.map(each => ({ label: labelOf(each), values: each.data.map(count => count[measure]) })),
    joined: true,
    unit: 'count',
    marks: releases.map(({ released_at, version }) => ({
      at: Date.parse(released_at) / 1000,
      label: version,
      text: version.slice(0, 12),
    })),
  };
}
