import test from 'ava';
import {
  draftOfEvents,
  emptyEvents,
  eventsBody,
} from '#control-plane/web/dashboard/app/features/monitors/editor/events/events-draft.ts';
import { valuePlot } from '#control-plane/web/dashboard/app/features/monitors/history/value-lines.ts';

test('values are drawn in order with their limits; where nothing can be said is a gap', t => {
  const check = (minute: number, value: number | null, failure_source: 'target' | 'too_few' | null = null) => ({
    scheduled_at: `2026-11-27T10:0${minute}:00.000Z`,
    measured: { value, sample: value, base: null },
    failure_source,
  });
  const plot = valuePlot(
    [check(2, 3, 'too_few'), check(1, 5, 'target'), check(0, 20)],
    [{ type: 'measured', operator: 'gte', value: 10 }],
  );
  t.deepEqual(plot.lines, [
    { label: 'value', values: [20, 5, null] },
    { label: 'at least 10', values: [10, 10, 10] },
  ]);
});

test('a draft of events and its body are each other’s reverse', t => {
  const common = { window_seconds: 1800, min_sample: 20, settle_seconds: 90, against: 'week_before' } as const;
  const where = [{ prop: 'n', op: 'in' as const, value: ['a', 1] }];
  const event = { name: 'order paid', type: 'error' as const, where };
  const ofEvent = { ...common, event, flow_id: null, measure: 'users' as const, within_seconds: null };
  const ofFlow = { ...common, event: null, flow_id: 'flow_1', measure: 'conversion' as const, within_seconds: 600 };
  for (const own of [ofEvent, ofFlow])
    t.deepEqual(eventsBody(draftOfEvents(own, 300)), { events: own, interval_seconds: 300 });
  t.like(eventsBody({ ...emptyEvents, windowMinutes: 'x' }), { events: { window_seconds: 'x', min_sample: null } });
});
