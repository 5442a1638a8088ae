import test from 'ava';
import {
  alertPresentation,
  componentStatusChoices,
  impactLabel,
  monitorPresentation,
  presentation,
  severityFilterChoices,
} from '#control-plane/web/dashboard/app/kit/labels.ts';
import { plural } from '#control-plane/web/dashboard/app/kit/plural.ts';

test('a state has a tone, a shape and a label', t => {
  t.deepEqual(presentation('verdicts', 'down'), { tone: 'bad', glyph: 'cross', label: 'Down' });
  t.deepEqual(presentation('components', 'unknown'), { tone: 'unknown', glyph: 'question', label: 'No data' });
  t.is(impactLabel('partial'), 'Impact: Partial outage');
});

test('what is held or in maintenance keeps its word and shape, and does not alarm', t => {
  const maintenance = { id: 'mnt_1', occurrence_id: 'occ_1', ends_at: '2026-11-21T11:00:00.000Z' };
  t.deepEqual(monitorPresentation({ status: 'down', maintenance }), { tone: 'info', glyph: 'cross', label: 'Down' });
  t.is(monitorPresentation({ status: 'down', maintenance: null }).tone, 'bad');
  t.is(monitorPresentation({ status: 'up', maintenance }).tone, 'good');
  t.deepEqual(alertPresentation({ kind: 'down', state: 'open', held: true }), {
    tone: 'info',
    glyph: 'gear',
    label: 'Held',
  });
  t.is(alertPresentation({ kind: 'down', state: 'open', held: false }).tone, 'bad');
  t.like(alertPresentation({ kind: 'degraded', state: 'open', held: false }), { tone: 'warn', label: 'Open' });
  t.is(alertPresentation({ kind: 'down', state: 'resolved', held: true }).label, 'Resolved');
});

test('a state that this page does not know is shown by its name, never as good', t => {
  const unknown = presentation('verdicts', 'half_open' as 'up');
  t.deepEqual(unknown, { tone: 'unknown', glyph: 'question', label: 'half open' });
});

test('an operator can set every component status but unknown', t => {
  const statuses = componentStatusChoices.map(([status]) => status);
  t.deepEqual(statuses, ['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance']);
});

test('filters offer every severity and all of them', t => {
  t.deepEqual(severityFilterChoices, [
    ['', 'all'],
    ['p1', 'P1'],
    ['p2', 'P2'],
    ['p3', 'P3'],
  ]);
});

test('counts agree with their noun', t => {
  t.is(plural(0, 'day'), '0 days');
  t.is(plural(1, 'day'), '1 day');
  t.is(plural(1200, 'monitor'), '1,200 monitors');
  t.is(plural(2, 'delivery', 'deliveries'), '2 deliveries');
});
