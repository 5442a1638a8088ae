import test from 'ava';
import { describeHold, describeReason } from '#control-plane/web/dashboard/app/features/alerts/words.ts';
import { sampleAlert } from '../../samples.ts';

test('an alert’s reason names its source and the failing regions', t => {
  t.is(describeReason(sampleAlert()), 'Expected status eq 200, got 503 (us) · failing in 2 of 3 regions: eu, us');
  const single = sampleAlert({ regions: ['eu'], regions_failing: ['eu'] });
  single.reason.region = null;
  t.is(describeReason(single), 'Expected status eq 200, got 503 · failing in 1 of 1 region: eu');
  t.true(describeReason(sampleAlert({ kind: 'degraded' })).endsWith('warning or failing in 2 of 3 regions: eu, us'));
});

test('an alert says what maintenance keeps from people', t => {
  const held = sampleAlert({ held: true, held_since: '2026-11-21T09:50:10.000Z' });
  t.is(describeHold(sampleAlert()), null);
  t.is(describeHold(held), 'In maintenance: nobody was notified');
  t.is(describeHold({ ...held, state: 'resolved' }), 'Resolved during maintenance: nobody was notified');
  const told = { ...held, held_since: '2026-11-21T09:55:00.000Z' };
  t.is(describeHold(told), 'In maintenance: nothing more is sent until it ends');
  t.is(describeHold({ ...told, state: 'resolved' }), null);
});
