import test from 'ava';
import {
  alertsByCause,
  describeCause,
  describeMembers,
} from '#control-plane/web/dashboard/app/features/alerts/causes.ts';
import { sampleAlert, sampleGroup } from '../../samples.ts';

test('alerts of one group stand together at the place of the first', t => {
  const alert = (id: string, group_id: string | null) => sampleAlert({ id, group_id });
  const alerts = [alert('a', 'g1'), alert('b', null), alert('c', 'g1'), alert('d', 'g2')];
  const groups = [sampleGroup({ id: 'g1' }), sampleGroup({ id: 'g2' })];
  t.deepEqual(
    alertsByCause(alerts, groups).map(cause => [cause.group?.id ?? null, ...cause.alerts.map(({ id }) => id)]),
    [
      ['g1', 'a', 'c'],
      [null, 'b'],
      [null, 'd'],
    ],
  );
  t.is(describeCause(sampleGroup()), 'Same address 203.0.113.7: the connection was refused');
  t.is(describeCause(sampleGroup({ cause: null })), 'Notified together');
  t.is(describeMembers([sampleAlert(), sampleAlert({ state: 'acknowledged' })]), '2 alerts, 1 open');
});
