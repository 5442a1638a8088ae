import test from 'ava';
import { groupQuery, propertiesOf, readFlowView } from '#control-plane/web/dashboard/app/features/flows/flow-view.ts';

test('the address says how a flow is grouped; a property without a name groups nothing', t => {
  const viewOf = (query: string) => readFlowView(new URLSearchParams(query));
  t.deepEqual(viewOf(''), { days: 7, group: 'release', property: '' });
  t.deepEqual(viewOf('days=90&by=hour'), { days: 90, group: 'release', property: '' }, 'too many hours');
  t.deepEqual(groupQuery(viewOf('by=property')), { group_by: 'none' });
  t.deepEqual(groupQuery(viewOf('by=property&property=plan')), { group_by: 'property', property: 'plan' });
  const flow = { steps: [{ event: 'a', where: [{ prop: 'plan', op: 'exists' as const }] }] } as never;
  t.deepEqual(propertiesOf(flow, [{ props: { total: 1 } }, { props: null }] as never), ['plan', 'total']);
});
