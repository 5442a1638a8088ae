import test from 'ava';
import { Quarantines } from '#control-plane/verdicts/quarantine.ts';

test('a project’s votes are muted by its own quarantines and by those for all', t => {
  const quarantines = new Quarantines([
    { region: 'everywhere', projectId: null },
    { region: 'own', projectId: 'a' },
  ]);
  t.deepEqual(quarantines.of('a'), new Set(['everywhere', 'own']));
  t.deepEqual(quarantines.of('b'), new Set(['everywhere']));
  t.deepEqual(new Quarantines([]).of('a'), new Set());
});
