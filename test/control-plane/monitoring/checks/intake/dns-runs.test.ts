import test from 'ava';
import fc from 'fast-check';
import { decideOne } from '#control-plane/monitoring/checks/intake/decide-changed.ts';
import type { RegionRuns } from '#control-plane/monitoring/checks/intake/dns-run-store.ts';
import { addToRuns, firstInWindow, type Run, recordsOf } from '#control-plane/monitoring/checks/intake/dns-runs.ts';
import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { minuteMs } from '#shared/duration.ts';

const seen = (id: string) => ({ id, shown: id });
const found = fc.record({ at: fc.nat(200), id: fc.constantFrom('a', 'b', 'c') });
const times = fc.uniqueArray(found, { selector: ({ at }) => at, maxLength: 30 });
const runsOf = (results: readonly { at: number; id: string }[]) =>
  results.reduce<Run[]>((runs, { at, id }) => addToRuns(runs, at * minuteMs, seen(id)), []);

test('of results in order, the first of each window is known exactly', t => {
  fc.assert(
    fc.property(times, fc.nat(200), fc.integer({ min: 5, max: 60 }), (results, at, minutes) => {
      const sorted = results.toSorted((left, right) => left.at - right.at);
      const runs = runsOf(sorted);
      if (runs.length === 20) return;
      const known = sorted.filter(result => result.at <= at);
      const first = known.find(result => result.at > at - minutes);
      t.is(firstInWindow(runsOf(known), at * minuteMs, minutes)?.id, first?.id);
    }),
  );
});

test('in whatever order results come, runs are few, apart and in order, and a repeated result changes nothing', t => {
  fc.assert(
    fc.property(times, results => {
      const runs = runsOf(results);
      t.true(runs.length <= 20);
      for (const [index, run] of runs.entries()) {
        t.true(run.from <= run.to);
        const next = runs[index + 1];
        if (next !== undefined) t.true(run.to < next.from && run.id !== next.id);
      }
      const last = results.at(-1);
      if (last !== undefined) t.deepEqual(addToRuns(runs, last.at * minuteMs, seen(last.id)), runs);
    }),
  );
});

const record = (data: string, type = 'A') => ({ name: 'a.example', type, ttl: 60, data });
const dnsOf = (answers: ReturnType<typeof record>[], truncated = false) => ({
  server: '9.9.9.9:53',
  rcode: 'NOERROR',
  answers,
  truncated,
  servers: [],
});

test('records are compared without their order, TTL and other types; those that are cut off are not known', t => {
  const one = recordsOf(dnsOf([record('192.0.2.1'), record('192.0.2.2'), record('b.example', 'CNAME')]), 'A');
  const other = recordsOf(dnsOf([record('192.0.2.2'), { ...record('192.0.2.1'), ttl: 1 }]), 'A');
  t.deepEqual(one, other);
  t.is(one?.shown, '192.0.2.1, 192.0.2.2');
  t.not(recordsOf(dnsOf([record('192.0.2.1')]), 'A')?.id, one?.id);
  t.is(recordsOf(dnsOf([record('192.0.2.1')], true), 'A'), null);
});

function itemOf(minute: number, data: string, changes: object = {}, version: object = {}): Accepted {
  return {
    result: {
      monitor_id: 'mon_1',
      region: 'a',
      scheduled_at: minute * minuteMs,
      attempt: 1,
      status: 'ok',
      failure_source: null,
      error: null,
      assertions: [],
      facts: { dns: dnsOf([record(data)]) },
      ...changes,
    },
    version: {
      projectId: 'prj_1',
      atMs: 0,
      warnOn: [0],
      unchanged: { type: 'A', target: 'q', assertions: [{ index: 0, window_minutes: 10 }] },
      ...version,
    },
  } as never;
}

/** The status, attempt and outcome of each. */
function decideAll(items: readonly Accepted[]): string[] {
  let runs: RegionRuns | undefined;
  return items.map(item => {
    const decided = decideOne(item, runs);
    runs = decided.runs;
    const { status, attempt, assertions } = decided.item.result;
    return `${status} ${attempt} ${assertions[0]?.passed}`;
  });
}

test('a change warns for as long as the window has the old records at its beginning', t => {
  const items = [itemOf(0, 'x'), itemOf(5, 'x'), itemOf(6, 'y'), itemOf(14, 'y'), itemOf(15, 'y'), itemOf(30, 'y')];
  t.deepEqual(decideAll(items), ['ok 1 true', 'ok 1 true', 'warn 1 false', 'warn 1 false', 'ok 1 true', 'ok 1 true']);
  const changed = decideOne(itemOf(6, 'y'), decideOne(itemOf(5, 'x'), undefined).runs).item.result;
  t.like(changed.assertions[0], { expected: 'the same records for 10 min', actual: 'y instead of x' });
});

test('with `err` the second check that finds the change confirms it', t => {
  const err = { warnOn: [] };
  const items = [itemOf(0, 'x', {}, err), itemOf(1, 'y', {}, err), itemOf(2, 'y', {}, err), itemOf(3, 'x', {}, err)];
  t.deepEqual(decideAll(items), ['ok 1 true', 'err 1 false', 'err 2 false', 'ok 1 true']);
});

test('a failed check is compared with good ones, and is none itself', t => {
  const failed = { status: 'err', failure_source: 'target' };
  t.deepEqual(decideAll([itemOf(0, 'x'), itemOf(1, 'y', failed), itemOf(2, 'x')]), [
    'ok 1 true',
    'err 1 false',
    'ok 1 true',
  ]);
});

test('another query begins anew, and a late result of the query before says nothing', t => {
  const other = { atMs: 5, unchanged: { type: 'A', target: 'r', assertions: [{ index: 0, window_minutes: 10 }] } };
  t.deepEqual(decideAll([itemOf(0, 'x'), itemOf(1, 'y', {}, other), itemOf(2, 'x'), itemOf(3, 'y', {}, other)]), [
    'ok 1 true',
    'ok 1 true',
    'ok 1 null',
    'ok 1 true',
  ]);
});
