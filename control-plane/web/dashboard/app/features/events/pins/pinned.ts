import type { ReportItem } from '../../../session/api-types.ts';
import type { Question } from '../explore/question.ts';
import { spans } from '../explore/question.ts';
import type { RetentionQuestion } from '../explore/retention-question.ts';

/** An item without its title. */
export type Pinned = ReportItem extends infer Item ? (Item extends unknown ? Omit<Item, 'title'> : never) : never;

/** What reports look back, next to what a view does. */
const lastOf = { '48h': '24h', '7d': '7d', '30d': '30d', '90d': '90d', '1y': '90d' } as const;

export function pinnedTrend({ names, type, span, breakdown }: Question, timezone: string): Pinned {
  return {
    ...{ type: 'trend', event: [...names], event_type: type, last: lastOf[span], timezone },
    ...{ granularity: spans[span].granularity, breakdown: breakdown === '' ? null : breakdown },
  };
}

export function pinnedRetention({ start, back, granularity, cohort }: RetentionQuestion): Pinned {
  const last = granularity === 'day' ? '30d' : '90d';
  return { type: 'retention', start, return: back === '' ? null : back, last, granularity, cohort };
}

/** A report has no funnels by hour or by a property. */
export function pinnedFunnel(flowId: string, { days, group }: { days: number; group: string }): Pinned {
  const last = days <= 1 ? '24h' : days <= 7 ? '7d' : days <= 30 ? '30d' : '90d';
  const by = group === 'release' || group === 'day' ? group : 'none';
  return { type: 'funnel', flow_id: flowId, last, group_by: by };
}
