import test from 'ava';
import fc from 'fast-check';
import { voteRows } from '#control-plane/web/dashboard/app/features/monitors/history/vote-rows.ts';

const completeFromMs = Number.POSITIVE_INFINITY;
const shown = { fromMs: 1000, toMs: 11_000 };
const at = (ms: number) => new Date(ms).toISOString();
const base = { as_of: null, expires_at: null, check_id: null };
type VoteValue = 'up' | 'warn' | 'down' | 'unknown';
const vote = (region: string, value: VoteValue, since: number, counted = value !== 'unknown') => ({
  ...base,
  region,
  vote: value,
  counted,
  since: at(since),
});
const row = (since: number, votes: ReturnType<typeof vote>[], decided = since) => ({
  since: at(since),
  until: null,
  decided_at: at(decided),
  votes,
});
const check = (region: string, status: 'ok' | 'warn' | 'err', ms: number) => ({ region, status, scheduled_at: at(ms) });
const monitorOf = (...votes: ReturnType<typeof vote>[]) =>
  ({ regions: ['eu', 'us'], interval_seconds: 1, votes }) as never;
const kindsOf = (chartRows: ReturnType<typeof voteRows>, region: string) =>
  chartRows.find(chartRow => chartRow.region === region)?.found.map(({ kind, from, to }) => [kind, from, to]);

test('a vote holds from its own beginning, also if the verdict changed later', t => {
  const rows = [
    row(6000, [vote('eu', 'down', 5000), vote('us', 'down', 6000)]),
    row(0, [vote('eu', 'up', 0), vote('us', 'up', 0)]),
  ];
  const monitor = monitorOf(vote('eu', 'up', 9000), vote('us', 'down', 6000));
  const chartRows = voteRows({ rows, monitor, checks: [], completeFromMs }, shown);
  t.deepEqual(kindsOf(chartRows, 'eu'), [
    ['up', 1000, 5000],
    ['down', 5000, 9000],
    ['up', 9000, 11_000],
  ]);
  t.deepEqual(kindsOf(chartRows, 'us'), [
    ['up', 1000, 6000],
    ['down', 6000, 11_000],
  ]);
});

test('a failed check is a vote until the next check, though the verdict did not change', t => {
  const rows = [row(0, [vote('eu', 'up', 0), vote('us', 'up', 0)])];
  const monitor = monitorOf(vote('eu', 'up', 5000), vote('us', 'up', 0));
  const checks = [check('eu', 'err', 4000), check('eu', 'err', 3000), check('eu', 'warn', 8000)];
  const chartRows = voteRows({ rows, monitor, checks, completeFromMs }, shown);
  t.deepEqual(kindsOf(chartRows, 'eu'), [
    ['up', 1000, 3000],
    ['down', 3000, 5000],
    ['up', 5000, 8000],
    ['warn', 8000, 9000],
    ['up', 9000, 11_000],
  ]);
  t.deepEqual(kindsOf(chartRows, 'us'), [['up', 1000, 11_000]]);
});

test('a bad vote that no check repeats is not shown on, where all checks are known', t => {
  const rows = [row(4000, [vote('eu', 'down', 4000), vote('us', 'up', 0)])];
  const monitor = monitorOf(vote('eu', 'up', 9000), vote('us', 'up', 0));
  const chartRows = voteRows({ rows, monitor, checks: [check('eu', 'err', 4000)], completeFromMs: 0 }, shown);
  t.deepEqual(kindsOf(chartRows, 'eu'), [
    ['down', 4000, 5500],
    ['up', 9000, 11_000],
  ]);
});

test('a vote that did not count is unknown, and a region without votes has an empty row', t => {
  const rows = [row(2000, [vote('eu', 'down', 2000, false)])];
  const chartRows = voteRows({ rows, monitor: monitorOf(), checks: [], completeFromMs }, shown);
  t.deepEqual(kindsOf(chartRows, 'eu'), [['unknown', 2000, 11_000]]);
  t.deepEqual(kindsOf(chartRows, 'us'), []);
});

test('at no instant does a region have two votes, whatever is stored', t => {
  const value = fc.constantFrom<VoteValue>('up', 'warn', 'down', 'unknown');
  const instant = fc.integer({ min: 0, max: 12_000 });
  const votes = fc.array(fc.tuple(value, instant, fc.boolean()), { maxLength: 6 });
  const statuses = fc.constantFrom<'ok' | 'warn' | 'err'>('ok', 'warn', 'err');
  const checks = fc.array(fc.tuple(statuses, instant), { maxLength: 12 });
  fc.assert(
    fc.property(votes, checks, value, (drawn, made, last) => {
      const ordered = drawn.toSorted((left, right) => right[1] - left[1]);
      const rows = ordered.map(([kind, since, counted]) => row(since, [vote('eu', kind, since, counted)]));
      const found = voteRows(
        {
          rows,
          monitor: monitorOf(vote('eu', last, 12_000)),
          checks: made.map(([status, ms]) => check('eu', status, ms)),
          completeFromMs,
        },
        shown,
      )[0]?.found;
      for (const [index, stretch] of (found ?? []).entries()) {
        t.true(stretch.from >= (found?.[index - 1]?.to ?? shown.fromMs) && stretch.to > stretch.from);
        t.true(stretch.to <= shown.toMs);
      }
    }),
  );
});
