import test from 'ava';
import fc from 'fast-check';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { StreamLimit } from '#control-plane/web/changes/stream-limit.ts';

/** Places that count themselves: `open` has the projects of the streams that are open. */
function openPlaces(perProject: number, total: number) {
  const places = new StreamLimit({ perProject, total });
  const open: { project: string; number: number; giveBack(): void }[] = [];
  let number = 0;
  const take = (project: string): boolean => {
    const stream = { project, number: ++number, giveBack: () => {} };
    const remove = () => open.splice(open.indexOf(stream), 1);
    try {
      stream.giveBack = places.take(project, remove);
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
    open.push(stream);
    return true;
  };
  const end = (index: number) => open.splice(index, 1)[0]?.giveBack();
  const of = (project: string) => open.filter(stream => stream.project === project);
  return { take, end, of, open };
}

test('a project that comes to a full server gets a stream: the one with the most loses its oldest', t => {
  const { take, of, open } = openPlaces(5, 10);
  for (let count = 0; count < 5; count++) t.true(take('a') && take('b'));
  t.false(take('a'), 'a project has a maximum of its own');
  t.true(take('c'));
  t.deepEqual([of('a').length + of('b').length, of('c').length, open.length], [9, 1, 10]);
  t.true(of('a').every(({ number }) => number > 1));
  for (let count = 0; count < 2; count++) t.true(take('c'));
  t.false(take('c'), 'nobody has more than it would have then');
  t.deepEqual(['a', 'b', 'c'].map(project => of(project).length).sort(), [3, 3, 4]);
  t.false(take('a') && take('b'));
});

test('whatever comes and goes, no place is lost or given twice, and who has none gets one', t => {
  const projects = ['a', 'b', 'c', 'd', 'e'];
  const steps = fc.array(fc.record({ project: fc.constantFrom(...projects), end: fc.nat(20) }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, list => {
      const { take, end, of, open } = openPlaces(4, 7);
      for (const step of list) {
        if (step.end < open.length) end(step.end);
        const had = of(step.project).length;
        const isGranted = take(step.project);
        if (had === 0 && !isGranted) return false;
        if (open.length > 7 || of(step.project).length > 4) return false;
      }
      while (open.length > 0) end(0);
      return ['x', 'x', 'x', 'x', 'y', 'y', 'y'].every(take) && open.length === 7;
    }),
  );
  t.pass();
});
