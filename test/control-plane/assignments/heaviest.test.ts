import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { heaviest } from '#control-plane/assignments/heaviest.ts';
import { weightOf } from '#control-plane/assignments/weight.ts';
import { assemble, wasmFile } from './assemble.ts';

const hash = fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff));

function placeOf(agents: readonly number[], monitor: number): number {
  let place = 0;
  for (const [index, agent] of agents.entries())
    if (weightOf(agent, monitor) > weightOf(agents[place] ?? 0, monitor)) place = index;
  return place;
}

test('the program is what its text says: `npm run wasm` writes it', async t => {
  t.deepEqual(readFileSync(wasmFile), Buffer.from(await assemble()));
});

test('the heaviest agent is found, of equals the first', t => {
  fc.assert(
    fc.property(
      fc.array(hash, { minLength: 1, maxLength: 50 }),
      fc.array(hash, { maxLength: 5 }),
      (agents, monitors) => {
        // Each agent twice, and a monitor for which one of them has no weight at all.
        const list = [...agents, ...agents];
        const hashes = Uint32Array.from(list);
        for (const monitor of [...monitors, agents[0] ?? 0]) t.is(heaviest(hashes, monitor), placeOf(list, monitor));
      },
    ),
    { numRuns: 2000 },
  );
});

test('of agents whose weights differ in the lower half only, the heavier one wins', t => {
  // Sorted by weight, so that the upper halves of neighbours are mostly equal.
  const agents = Array.from({ length: 200_000 }, (_, index) => (index * 2_654_435_761) >>> 0).sort(
    (one, other) => weightOf(one, 7) - weightOf(other, 7),
  );
  t.is(heaviest(Uint32Array.from(agents), 7), agents.length - 1);
  t.is(heaviest(Uint32Array.from(agents.toReversed()), 7), 0);
});

test('lists stay what they are when there are more than memory has room for', t => {
  const lengths = [3, 100_000, 1, 90_000, 5, 120_000, 400_000, 2, 80_000];
  const lists = lengths.map(length => Array.from({ length }, (_, index) => ((index + length) * 2_654_435_761) >>> 0));
  const hashes = lists.map(list => Uint32Array.from(list));
  for (const monitor of [7, 0xdeadbeef])
    for (const [index, list] of lists.entries())
      t.is(heaviest(hashes[index] as Uint32Array, monitor), placeOf(list, monitor));
});
