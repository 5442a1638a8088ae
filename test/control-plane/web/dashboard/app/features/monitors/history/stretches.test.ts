import test from 'ava';
import {
  stretches,
  sumKinds,
  verdictStretches,
} from '#control-plane/web/dashboard/app/features/monitors/history/stretches.ts';

const shown = { fromMs: 1000, toMs: 11_000 };
const at = (ms: number) => new Date(ms).toISOString();

test('the verdicts of the shown time are cut to it, and one that holds lasts until its end', t => {
  const rows = [
    { verdict: 'up' as const, since: at(6000), until: null },
    { verdict: 'down' as const, since: at(4000), until: at(6000) },
    { verdict: 'up' as const, since: at(2000), until: at(4000) },
    { verdict: 'up' as const, since: at(-5000), until: at(2000) },
  ];
  const found = verdictStretches(rows, shown);
  t.deepEqual(
    found.map(({ kind, left, width }) => [kind, left, width]),
    [
      ['up', 0, 0.3],
      ['down', 0.3, 0.2],
      ['up', 0.5, 0.5],
    ],
  );
  t.deepEqual(sumKinds(found), [
    ['up', 8000],
    ['down', 2000],
  ]);
});

test('what lies outside of the shown time is left out', t => {
  t.deepEqual(stretches([{ kind: 'maintenance', from: 20_000, to: 30_000 }], shown), []);
  t.deepEqual(verdictStretches([], shown), []);
});
