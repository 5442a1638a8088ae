import test from 'ava';
import { planQuotas, quotasOf, resources } from '#control-plane/platform/project-limits/quota.ts';
import { plans } from '#control-plane/platform/projects/project.ts';

test('every plan has every quota, and a larger plan never less of anything', t => {
  t.deepEqual(Object.keys(planQuotas).sort(), [...plans].sort());
  for (const resource of resources) {
    const maxima = plans.map(plan => planQuotas[plan][resource]);
    t.deepEqual(
      maxima,
      maxima.toSorted((left, right) => left - right),
      resource,
    );
    t.true((maxima[0] ?? 0) > 0);
  }
});

test('what the operator set wins over the plan, up and down, and nothing else changes', t => {
  const quotas = quotasOf('team', { monitors: 3, flows: 1000 });
  t.deepEqual(quotas, { ...planQuotas.team, monitors: 3, flows: 1000 });
});

test('a plan nobody knows has the smallest quotas', t => {
  t.deepEqual(quotasOf('gold', {}), planQuotas.pro);
  t.deepEqual(quotasOf('toString', {}), planQuotas.pro);
});
