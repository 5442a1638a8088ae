import type { Monitor } from '../../../../session/api-types.ts';
import { type ConditionDraft, conditionBodies, conditionDrafts } from '../../../flows/flow-draft.ts';

type Events = NonNullable<Monitor['events']>;

/** What a monitor of stored events counts, while it is edited: texts as they stand in the fields. */
export type EventsDraft = {
  counts: string;
  eventName: string;
  eventType: string;
  where: readonly ConditionDraft[];
  flowId: string;
  measure: string;
  windowMinutes: string;
  within: string;
  comparesWeek: boolean;
  minSample: string;
  settle: string;
  everyMinutes: string;
};

export const emptyEvents: EventsDraft = {
  counts: 'event',
  eventName: '',
  eventType: 'track',
  where: [],
  flowId: '',
  measure: 'count',
  windowMinutes: '15',
  within: '3600',
  comparesWeek: false,
  minSample: '',
  settle: '60',
  everyMinutes: '',
};

export function draftOfEvents({ event, flow_id, measure, ...events }: Events, intervalSeconds: number): EventsDraft {
  return {
    counts: event === null ? 'flow' : 'event',
    eventName: event?.name ?? '',
    eventType: event?.type ?? 'track',
    where: conditionDrafts(event?.where ?? []),
    flowId: flow_id ?? '',
    measure: measure === 'users' ? 'users' : 'count',
    windowMinutes: String(events.window_seconds / 60),
    within: String(events.within_seconds ?? emptyEvents.within),
    comparesWeek: events.against !== null,
    minSample: String(events.min_sample ?? ''),
    settle: String(events.settle_seconds),
    everyMinutes: String(intervalSeconds / 60),
  };
}

/** The part of a body that says what is counted. What does not parse goes as it is written. */
export function eventsBody(draft: EventsDraft): Record<string, unknown> {
  const isFlow = draft.counts === 'flow';
  return {
    events: {
      event: isFlow
        ? null
        : { name: draft.eventName.trim(), type: draft.eventType, where: conditionBodies(draft.where) },
      flow_id: isFlow ? draft.flowId : null,
      measure: isFlow ? 'conversion' : draft.measure,
      window_seconds: numberOf(draft.windowMinutes, 60),
      within_seconds: isFlow ? numberOf(draft.within) : null,
      against: draft.comparesWeek ? 'week_before' : null,
      min_sample: draft.minSample.trim() === '' ? null : numberOf(draft.minSample),
      settle_seconds: numberOf(draft.settle),
    },
    ...(draft.everyMinutes.trim() === '' ? {} : { interval_seconds: numberOf(draft.everyMinutes, 60) }),
  };
}

function numberOf(text: string, times = 1): number | string {
  const value = Number(text.trim());
  return text.trim() === '' || Number.isNaN(value) ? text.trim() : value * times;
}
