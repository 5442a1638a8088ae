import test from 'ava';
import { Quarantines } from '#control-plane/monitoring/verdicts/quarantine.ts';

test('a project’s votes are muted by its own quarantines and by those for all', t => {
  const quarantines = new Quarantines([
    { region: 'everywhere', projectId: null, since: 5 },
    { region: 'own', projectId: 'a', since: 7 },
    { region: 'over', projectId: 'b', since: 1, until: 6 },
  ]);
  t.deepEqual(quarantines.of('a'), new Set(['everywhere', 'own']));
  t.deepEqual(quarantines.of('b'), new Set(['everywhere']));
  t.deepEqual(new Quarantines([]).of('a'), new Set());
  t.deepEqual(
    ['a', 'b', 'c'].map(projectId => quarantines.changedAt(projectId, ['everywhere', 'own', 'over'])),
    [7, 6, 5],
  );
  t.is(quarantines.changedAt('a', ['another']), Number.NEGATIVE_INFINITY);
  t.is(new Quarantines([{ region: 'x', projectId: null }]).changedAt('a', ['x']), Number.NEGATIVE_INFINITY);
});
