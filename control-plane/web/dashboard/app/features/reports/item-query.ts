import type { Mark, Plot, Span } from '../../kit/plot/plot-scale.ts';
import type {
  FunnelReport,
  Incident,
  Release,
  ReportItem,
  RetentionQuery,
  TrendsQuery,
} from '../../session/api-types.ts';

const hourMs = 3_600_000;
const lengths = { '24h': 24 * hourMs, '7d': 168 * hourMs, '30d': 720 * hourMs, '90d': 2160 * hourMs } as const;

type Item<Type extends ReportItem['type']> = Extract<ReportItem, { type: Type }>;

/** When the range of an item begins. It ends now. */
export function startOf({ last = '30d' }: Pick<ReportItem, 'last'>, nowMs: number): string {
  return new Date(nowMs - lengths[last]).toISOString();
}

/** The request for the trend of an item. */
export function trendQueryOf(item: Item<'trend'>, nowMs: number): TrendsQuery {
  const { event, event_type: type = 'track', granularity = 'day', timezone = 'UTC', breakdown } = item;
  return {
    // A list of one is a name that may begin with a bracket.
    event: JSON.stringify([event].flat()),
    ...{ type, granularity, timezone, from: startOf(item, nowMs) },
    ...(breakdown == null ? {} : { breakdown }),
  };
}

/** The request for the retention of an item: each cohort is followed to the end of the range. */
export function retentionQueryOf(item: Item<'retention'>, timezone: string, nowMs: number): RetentionQuery {
  const { start, return: back, granularity = 'week', cohort = 'first', last = '30d' } = item;
  const periodMs = (granularity === 'day' ? 24 : 168) * hourMs;
  const periods = Math.min(30, Math.max(1, Math.ceil(lengths[last] / periodMs)));
  return {
    ...{ start, granularity, cohort, timezone, periods, from: startOf(item, nowMs) },
    ...(back == null ? {} : { return: back }),
  };
}

/** What else happened: releases as lines, incidents as shades behind a plot. */
export type Happened = { marks: readonly Mark[]; spans: readonly Span[] };

export function happenedOf(releases: readonly Release[], incidents: readonly Incident[], nowMs: number): Happened {
  return {
    marks: releases.map(({ released_at, version }) => ({
      ...{ at: Date.parse(released_at) / 1000, label: version, text: version.slice(0, 12) },
    })),
    spans: incidents.map(({ started_at, resolved_at }) => ({
      from: Date.parse(started_at) / 1000,
      to: (resolved_at === null ? nowMs : Date.parse(resolved_at)) / 1000,
    })),
  };
}

/** How many of those who entered on a day reached each step after the first, in percent. */
export function plotOfFunnel({ buckets = [], steps }: FunnelReport): Plot {
  return {
    times: buckets.map(({ bucket }) => (Date.parse(bucket) + 12 * hourMs) / 1000),
    lines: steps.slice(1).map((step, index) => ({
      label: step.name,
      values: buckets.map(bucket => {
        const share = bucket.steps[index + 1]?.from_first ?? null;
        return share === null ? null : Math.round(share * 1000) / 10;
      }),
    })),
    joined: true,
    unit: 'percent',
  };
}
