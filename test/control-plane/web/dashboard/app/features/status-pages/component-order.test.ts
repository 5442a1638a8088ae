import test from 'ava';
import fc from 'fast-check';
import {
  drop,
  groupsOf,
  inPageOrder,
  type Place,
  step,
} from '#control-plane/web/dashboard/app/features/status-pages/component-order.ts';

const places = (...texts: string[]): Place[] =>
  texts.map(text => {
    const [id = '', group = null] = text.split('/').reverse();
    return { id, group };
  });

test('a step moves among neighbours, and in and out of groups', t => {
  const cases: [string[], string, -1 | 1, string[]][] = [
    [['a', 'b', 'c'], 'b', -1, ['b', 'a', 'c']],
    [['a', 'b', 'c'], 'b', 1, ['a', 'c', 'b']],
    [['a', 'b'], 'a', -1, ['a', 'b']],
    [['a', 'b'], 'b', 1, ['a', 'b']],
    [['a', 'G/b', 'G/c'], 'a', 1, ['G/a', 'G/b', 'G/c']],
    [['a', 'G/b', 'G/c'], 'b', -1, ['a', 'b', 'G/c']],
    [['a', 'G/b', 'G/c'], 'c', 1, ['a', 'G/b', 'c']],
    [['a', 'G/b', 'G/c'], 'c', -1, ['a', 'G/c', 'G/b']],
    [['G/a', 'H/b'], 'b', -1, ['G/a', 'b']],
    [['a'], 'x', 1, ['a']],
  ];
  for (const [before, id, direction, after] of cases)
    t.deepEqual(step(places(...before), id, direction), places(...after), `${before} ${id} ${direction}`);
});

test('what is dropped stands beside its target, in the target’s group', t => {
  const before = places('a', 'G/b', 'G/c');
  t.deepEqual(drop(before, 'a', 'c', 'before'), places('G/b', 'G/a', 'G/c'));
  t.deepEqual(drop(before, 'a', 'c', 'after'), places('G/b', 'G/c', 'G/a'));
  t.deepEqual(drop(before, 'c', 'a', 'before'), places('c', 'a', 'G/b'));
  t.is(drop(before, 'a', 'a', 'after'), before);
  t.is(drop(before, 'a', 'x', 'after'), before);
  t.is(drop(before, 'x', 'a', 'after'), before);
});

test('no steps and drops lose a component or tear a group apart', t => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const act = fc.oneof(
    fc.record({ id, direction: fc.constantFrom<-1 | 1>(-1, 1) }),
    fc.record({ id, target: id, side: fc.constantFrom<'before' | 'after'>('before', 'after') }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), acts => {
      let now: readonly Place[] = places('a', 'G/b', 'G/c', 'd', 'H/e');
      for (const each of acts)
        now = 'target' in each ? drop(now, each.id, each.target, each.side) : step(now, each.id, each.direction);
      const names = groupsOf(now).flatMap(({ group }) => group ?? []);
      return new Set(names).size === names.length && new Set(now.map(place => place.id)).size === 5 && now.length === 5;
    }),
  );
  t.pass();
});

test('components stand as on the public page: a group where its first one stands', t => {
  const item = (id: string, position: number, group: string | null = null) => ({ id, position, group });
  const sorted = inPageOrder([item('late', 5, 'G'), item('b', 1), item('a', 0, 'G'), item('c', 2)]);
  t.deepEqual(
    sorted.map(({ id }) => id),
    ['a', 'late', 'b', 'c'],
  );
});
