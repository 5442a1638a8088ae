import test from 'ava';
import fc from 'fast-check';
import { assignStreams } from '#control-plane/operations/intake/nats/stream-assignment.ts';
import { streamsOf } from '#control-plane/operations/intake/nats/streams.ts';

const streams = streamsOf('test');
const names = streams.map(({ name }) => name);
const kinds = ['results', 'events'] as const;
const worker = fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `w${index}`));
const workers = fc.uniqueArray(worker, { minLength: 1, maxLength: 12 });
/** Also workers that are gone hold streams for a while. */
const holders = fc
  .array(fc.option(worker), { minLength: names.length, maxLength: names.length })
  .map(list => new Map(list.flatMap((holder, index) => (holder === null ? [] : [[names[index] ?? '', holder]]))));

function countsOf(shares: ReadonlyMap<string, string>, of: readonly string[], kind: (typeof kinds)[number]): number[] {
  const ofKind = streams.filter(stream => stream.kind === kind).map(({ name }) => shares.get(name));
  return of.map(one => ofKind.filter(holder => holder === one).length);
}

function sorted(shares: ReadonlyMap<string, string>): (readonly [string, string])[] {
  return [...shares].sort();
}

test('each stream has one worker, and workers have equally many of each kind or one more', t => {
  fc.assert(
    fc.property(workers, holders, (live, held) => {
      const shares = assignStreams(streams, live, held);
      t.deepEqual([...shares.keys()].sort(), [...names].sort());
      t.true([...shares.values()].every(holder => live.includes(holder)));
      for (const kind of kinds) {
        const counts = countsOf(shares, live, kind);
        t.true(Math.max(...counts) <= Math.ceil(8 / live.length));
        t.true(Math.max(...counts) - Math.min(...counts) <= 1);
      }
    }),
  );
});

test('no more streams move than must for that', t => {
  fc.assert(
    fc.property(workers, holders, (live, held) => {
      const shares = assignStreams(streams, live, held);
      for (const kind of kinds) {
        const before = countsOf(held, live, kind).sort((left, right) => right - left);
        const quota = (rank: number) => Math.floor(8 / live.length) + (rank < 8 % live.length ? 1 : 0);
        const surplus = before.reduce((sum, count, rank) => sum + Math.max(0, count - quota(rank)), 0);
        const isMoved = (name: string) => live.includes(held.get(name) ?? '') && held.get(name) !== shares.get(name);
        const moved = streams.filter(stream => stream.kind === kind && isMoved(stream.name));
        t.is(moved.length, surplus);
      }
    }),
  );
});

test('what is shared out stays so, in whatever order workers are listed', t => {
  fc.assert(
    fc.property(workers, holders, (live, held) => {
      const shares = assignStreams(streams, live, held);
      t.deepEqual(sorted(assignStreams(streams, live.toReversed(), held)), sorted(shares));
      t.deepEqual(sorted(assignStreams(streams, live, shares)), sorted(shares));
    }),
  );
});

test('workers that look one after the other, and give and take by themselves, end with even shares', t => {
  fc.assert(
    fc.property(workers, holders, fc.infiniteStream(fc.nat()), (live, held, random) => {
      // Leases of workers that are gone have expired.
      const leases = new Map([...held].filter(([, holder]) => live.includes(holder)));
      for (let round = 0; round < 4; round++)
        for (const [, one] of live
          .map(one => [random.next().value, one] as const)
          .sort(([left], [right]) => left - right))
          for (const [name, wanted] of assignStreams(streams, live, leases)) {
            if (wanted !== one && leases.get(name) === one) leases.delete(name);
            if (wanted === one && !leases.has(name)) leases.set(name, one);
          }
      t.deepEqual(sorted(assignStreams(streams, live, leases)), sorted(leases));
      t.is(leases.size, names.length);
    }),
  );
});

test('without workers nobody has a stream', t => {
  t.is(assignStreams(streams, [], new Map([[names[0] ?? '', 'w1']])).size, 0);
});
