import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { heaviest, heaviestOneByOne } from '#control-plane/monitoring/assignments/heaviest.ts';
import { weightOf } from '#control-plane/monitoring/assignments/weight.ts';
import { assemble, wasmFile } from './assemble.ts';

const hash = fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xffffffff));

test('the program is what its text says: `npm run wasm` writes it', async t => {
  t.deepEqual(readFileSync(wasmFile), Buffer.from(await assemble()));
});

test('a processor without SIMD plans the same', t => {
  const program = `
    import { heaviest } from '#control-plane/monitoring/assignments/heaviest.ts';
    console.log(heaviest(Uint32Array.from([5, 1, 4, 2, 3]), 7));`;
  const options = ['--no-enable-ssse3', '--no-enable-sse4-1', '--input-type=module', '--eval', program];
  const cwd = new URL('../../../..', import.meta.url);
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8', cwd });
  t.is(stdout.trim(), String(heaviest(Uint32Array.from([5, 1, 4, 2, 3]), 7)), stderr);
});

test('the heaviest agent is found, of equals the first, with and without WebAssembly', t => {
  fc.assert(
    fc.property(
      fc.array(hash, { minLength: 1, maxLength: 50 }),
      fc.array(hash, { maxLength: 5 }),
      (agents, monitors) => {
        // Each agent twice, and a monitor for which one of them has no weight at all.
        const list = [...agents, ...agents];
        const hashes = Uint32Array.from(list);
        for (const monitor of [...monitors, agents[0] ?? 0]) {
          const weights = list.map(agent => weightOf(agent, monitor));
          const place = weights.indexOf(Math.max(...weights));
          t.is(heaviest(hashes, monitor), place);
          t.is(heaviestOneByOne(hashes, monitor), place);
        }
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
    for (const index of lists.keys())
      t.is(heaviest(hashes[index] as Uint32Array, monitor), heaviestOneByOne(hashes[index] as Uint32Array, monitor));
});
