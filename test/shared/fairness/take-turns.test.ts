import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { takeTurns } from '#shared/fairness/take-turns.ts';

const longMs = 60_000;

/** Items of keys, taken in turns that are noted. */
function openWork(items: Readonly<Record<string, number>>) {
  const left = new Map(Object.entries(items));
  const order: string[] = [];
  const running = new Set<string>();
  const most = { atOnce: 0 };
  const list = async () => [...left].flatMap(([key, count]) => (count > 0 ? [key] : []));
  const turn = async (key: string, turnMax: number) => {
    if (running.has(key)) throw new Error('a key has two turns at once');
    running.add(key);
    most.atOnce = Math.max(most.atOnce, running.size);
    order.push(key);
    await nextTurn();
    const count = Math.min(turnMax, left.get(key) ?? 0);
    left.set(key, (left.get(key) ?? 0) - count);
    running.delete(key);
    return count;
  };
  return { left, order, most, list, turn };
}

test('each key has a turn, and comes again behind the others while it may have more', async t => {
  const { list, turn, order } = openWork({ a: 5, b: 1, c: 2 });
  t.is(await takeTurns(list, turn, { concurrency: 1, turnMax: 2, roundMs: longMs }), 8);
  t.deepEqual(order, ['a', 'b', 'c', 'a', 'c', 'a']);
});

test('without a round each has one turn', async t => {
  const { list, turn, order } = openWork({ a: 5, b: 1 });
  t.is(await takeTurns(list, turn, { concurrency: 2, turnMax: 2 }), 3);
  t.deepEqual(order, ['a', 'b']);
});

test('while a turn takes long, the others go to what has come meanwhile', async t => {
  // A turn has a connection, which keeps a process alive; waiting for the next look at the list alone does not.
  const connection = setInterval(() => {}, 60_000);
  t.teardown(() => clearInterval(connection));
  const { list, turn, order, left } = openWork({ slow: 1 });
  const other = Promise.withResolvers<void>();
  const slowly = async (key: string, turnMax: number) => {
    const count = await turn(key, turnMax);
    if (key === 'other') other.resolve();
    if (key !== 'slow') return count;
    left.set('other', 1);
    await other.promise;
    return count;
  };
  t.is(await takeTurns(list, slowly, { concurrency: 2, turnMax: 5, listAgainMs: 5 }), 2);
  t.deepEqual(order, ['slow', 'other']);
});

test('a key whose turn ends while the keys are listed again is not given two turns at once', async t => {
  const connection = setInterval(() => {}, 60_000);
  t.teardown(() => clearInterval(connection));
  const { list, turn, order } = openWork({ slow: 1, full: 4 });
  const listing = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let lists = 0;
  const listSlowly = async () => {
    lists += 1;
    if (lists === 2) {
      listing.resolve();
      await ended.promise;
    }
    return list();
  };
  const during = async (key: string, turnMax: number) => {
    await listing.promise;
    const count = await turn(key, turnMax);
    // The turn is over a moment after its promise.
    if (key === 'full') void nextTurn().then(() => ended.resolve());
    else await ended.promise;
    return count;
  };
  t.is(await takeTurns(listSlowly, during, { concurrency: 3, turnMax: 2, roundMs: longMs, listAgainMs: 5 }), 5);
  t.deepEqual(order.toSorted(), ['full', 'full', 'full', 'slow']);
});

test('after a failure no turn begins, those under way end, and its error is thrown', async t => {
  const { list, turn, order } = openWork({ a: 1, bad: 1, c: 1, d: 1 });
  const failing = async (key: string, turnMax: number) => {
    const count = await turn(key, turnMax);
    if (key === 'bad') throw new Error('bad');
    return count;
  };
  await t.throwsAsync(takeTurns(list, failing, { concurrency: 2, turnMax: 1 }), { message: 'bad' });
  t.deepEqual(order.slice(0, 2), ['a', 'bad']);
  t.false(order.includes('d'));
  const unlisted = takeTurns(() => Promise.reject(new Error('no list')), turn, { concurrency: 1, turnMax: 1 });
  await t.throwsAsync(unlisted, { message: 'no list' });
});

test('no turn begins once the signal aborts', async t => {
  const { list, turn, order } = openWork({ a: 9, b: 9 });
  const abort = new AbortController();
  const once = async (key: string, turnMax: number) => {
    abort.abort();
    return turn(key, turnMax);
  };
  const options = { concurrency: 1, turnMax: 1, roundMs: longMs, signal: abort.signal };
  t.is(await takeTurns(list, once, options), 1);
  t.deepEqual(order, ['a']);
});

test('all that there is is taken, never two turns of a key at once, and each has one before any has two', async t => {
  const work = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(12));
  const bound = fc.integer({ min: 1, max: 4 });
  await fc.assert(
    fc.asyncProperty(work, bound, bound, async (items, concurrency, turnMax) => {
      const { list, turn, order, most } = openWork(items);
      const sum = Object.values(items).reduce((before, count) => before + count, 0);
      t.is(await takeTurns(list, turn, { concurrency, turnMax, roundMs: longMs }), sum);
      t.true(most.atOnce <= concurrency);
      const firsts = new Set(order.slice(0, new Set(order).size));
      t.is(firsts.size, new Set(order).size, 'each has its first turn before any has its second');
    }),
    { numRuns: 100 },
  );
});
