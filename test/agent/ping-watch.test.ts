import test from 'ava';
import fc from 'fast-check';
import { PingWatch } from '#agent/ping-watch.ts';

/** The patience after pings at these seconds. */
function patienceAfter(seconds: readonly number[], announcedMs: number | null = null): number {
  const watch = new PingWatch(announcedMs);
  for (const second of seconds) watch.note(second * 1000);
  return watch.patienceMs / 1000;
}

const cases: [what: string, seconds: number[], patience: number, announcedMs?: number][] = [
  ['before any ping', [], 45],
  ['after the welcome’s ping and the next one', [0, 3], 45],
  ['with a period of 5 s', [0, 3, 8], 12],
  ['with a period of 5 s and some delay', [0, 3, 8, 14.5, 18], 15.6],
  ['after that delay is forgotten', [0, 3, 8, 14.5, 18, 23, 28, 33], 12],
  ['with a period of 15 s', [0, 3, 18, 33], 36],
  ['with a period of a second', [0, 1, 2, 3], 12],
  ['with a period of a minute', [0, 60, 120], 45],
  ['with an announced period of 5 s', [], 12, 5000],
  ['with an announced period of 15 s', [], 36, 15_000],
];
for (const [what, seconds, patience, announcedMs] of cases)
  test(`${what}, the control plane may be silent for ${patience} s`, t => {
    t.is(patienceAfter(seconds, announcedMs ?? null), patience);
  });

test('a control plane that pings regularly, in any period up to 15 s and with jitter, is never given up', t => {
  const jitter = fc.array(fc.double({ min: 0, max: 0.3, noNaN: true }), { minLength: 3, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 15_000 }),
      fc.integer({ min: 0, max: 15_000 }),
      jitter,
      (period, first, late) => {
        const watch = new PingWatch();
        let last = 0;
        watch.note(0);
        for (const [index, part] of late.entries()) {
          const at = first + index * period + part * period;
          t.true(at - last <= watch.patienceMs, `${at - last} > ${watch.patienceMs}`);
          watch.note(at);
          last = at;
        }
      },
    ),
  );
});
