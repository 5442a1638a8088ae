import test from 'ava';
import fc from 'fast-check';
import { adviceOf } from '#control-plane/monitoring/monitors/heartbeats/advice.ts';
import { extendedDeadline, gapsOf, heardUntil } from '#control-plane/monitoring/monitors/heartbeats/away.ts';
import {
  afterDue,
  type Beat,
  deadlineOf,
  dueOf,
  noBeat,
  readSignal,
} from '#control-plane/monitoring/monitors/heartbeats/beat.ts';
import { expectedAfter, type Timing } from '#control-plane/monitoring/monitors/heartbeats/expected.ts';
import { addressOf } from '#control-plane/monitoring/signals/address.ts';

const timing: Timing = { cron: null, timezone: 'UTC', intervalSeconds: 300, graceSeconds: 60, maxRunSeconds: 600 };
const success = (at: number, beat: Beat = noBeat) =>
  readSignal(beat, timing, { type: 'success', at, rid: null }, []).beat;

test('a success is expected an interval later, and is due when the grace is over', t => {
  const beat = success(1000);
  t.is(deadlineOf(beat, timing, []), 361_000);
  t.deepEqual(dueOf(beat, timing, [], 360_999), { type: 'wait', at: 361_000 });
  const due = dueOf(beat, timing, [], 361_000);
  t.deepEqual(due, { type: 'missed', expectedAt: 301_000, deadline: 361_000 });
  t.deepEqual(
    dueOf(afterDue(beat, due), timing, [], 9e9),
    { type: 'wait', at: null },
    'one outage is one missed deadline',
  );
});

test('no deadline is judged before all fronts that run have said that nothing waits', t => {
  const rows = [9000, 7000, -20_000].map(renewedAt => ({ startedAt: -50_000, renewedAt }));
  t.deepEqual(
    [heardUntil(rows, 10_000), heardUntil(rows.slice(2), 10_000), heardUntil([], 10_000)],
    [7000, 10_000, 10_000],
  );
});

test('a start in time moves the deadline to the end of the run, one that comes early or late does not', t => {
  const started = (at: number) => readSignal(success(0), timing, { type: 'start', at, rid: null }, []).beat;
  t.is(deadlineOf(started(280_000), timing, []), 880_000);
  t.is(deadlineOf(started(200_000), timing, []), 360_000);
  t.is(deadlineOf(started(361_000), timing, []), 360_000);
  const gaps = [{ from: 100_000, until: 350_000 }];
  const late = readSignal(success(0), timing, { type: 'start', at: 500_000, rid: null }, gaps).beat;
  t.is(late.startedAt, 500_000, 'it stood still while nobody took signals');
  const due = dueOf(started(280_000), timing, [], 880_000);
  t.is(due.type, 'overdue');
  t.deepEqual(dueOf(afterDue(started(280_000), due), timing, [], 9e9), { type: 'wait', at: null });
});

test('an end belongs to the start of its ID, else to the newest one of the last day', t => {
  const start = (beat: Beat, at: number, rid: string | null) =>
    readSignal(beat, timing, { type: 'start', at, rid }, []).beat;
  const both = start(start(noBeat, 1000, 'a'), 2000, 'b');
  t.is(readSignal(both, timing, { type: 'success', at: 5000, rid: 'a' }, []).runMs, 4000);
  t.is(readSignal(both, timing, { type: 'fail', at: 5000, rid: null }, []).runMs, 3000);
  t.is(readSignal(both, timing, { type: 'success', at: 86_400_000 + 3000, rid: null }, []).runMs, null);
});

test('a success shortly before a time of cron counts for it, an earlier one does not', t => {
  const cron: Timing = { ...timing, cron: '0 3 * * *' };
  const at = (text: string) => Date.parse(text);
  t.is(expectedAfter(cron, at('2027-01-01T02:59:30Z'))?.at, at('2027-01-02T03:00:00Z'));
  t.is(expectedAfter(cron, at('2027-01-01T02:58:30Z'))?.at, at('2027-01-01T03:00:00Z'));
  const berlin = { ...cron, cron: '30 2 * * *', timezone: 'Europe/Berlin' };
  t.is(
    expectedAfter(berlin, at('2027-03-28T01:00:20Z'))?.at,
    at('2027-03-29T00:30:00Z'),
    'cron daemons run it at the end of the gap',
  );
});

const instants = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 30 });

test('the order in which signals are stored changes neither the last success nor what is expected', t => {
  const property = fc.property(instants, fc.integer(), (times, seed) => {
    const read = (list: readonly number[]) => list.reduce((beat, at) => success(at, beat), noBeat);
    const mixed = times.toSorted((left, right) => ((left * 31 + seed) % 7) - ((right * 31 + seed) % 7));
    const [one, other] = [read(times.toSorted((a, b) => a - b)), read(mixed)];
    return one.lastSuccessAt === other.lastSuccessAt && one.expected?.at === other.expected?.at;
  });
  fc.assert(property);
  t.pass();
});

test('a deadline moves by all the time without a front before it, and never earlier', t => {
  const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 0, max: 200_000 })), {
    maxLength: 8,
  });
  const property = fc.property(rows, fc.integer({ min: 1, max: 1_000_000 }), (list, deadline) => {
    const attendances = list.map(([startedAt, length]) => ({ startedAt, renewedAt: startedAt + length }));
    const gaps = gapsOf(attendances, 0, 2_000_000);
    if (gaps.some((gap, index) => gap.until <= gap.from || gap.from < (gaps[index - 1]?.until ?? 0))) return false;
    const moved = extendedDeadline(0, deadline, 60_000, gaps);
    const away = gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.until, moved) - gap.from), 0);
    return moved >= deadline && moved <= deadline + away + 60_000;
  });
  fc.assert(property);
  t.is(extendedDeadline(0, 100, 50, [{ from: 40, until: 70 }]), 180);
  t.is(extendedDeadline(80, 100, 50, [{ from: 40, until: 70 }]), 100);
});

test('addresses are read as Healthchecks and Uptime Kuma have them', t => {
  const uuid = '6f1c9c0e-7d0b-4a52-9a1e-3f4d5a6b7c8d';
  for (const [path, expected] of [
    ['/hb/uph_x/start', { by: 'secret', type: 'start', exit: null }],
    ['/hb/key/slug/255', { by: 'slug', type: 'fail', exit: 255 }],
    ['/hb/key/slug/0', { by: 'slug', type: 'success', exit: 0 }],
    [`/${uuid.toUpperCase()}/log`, { by: 'alias', type: 'log', exit: null }],
    [`/ping/${uuid}/7`, { by: 'alias', type: 'fail', exit: 7 }],
    ['/api/push/token', { by: 'alias', type: 'success', exit: null }],
    ['/hb/uph_x/256', null],
    ['/hb/uph_x/start/more', null],
    ['/hb/key', null],
    ['/hb/key/sl%00ug', null],
  ] as const) {
    const address = addressOf(path);
    const read = address && { by: address.named.by, type: address.signal.type, exit: address.signal.exit_code };
    t.deepEqual(read, expected, path);
  }
  fc.assert(fc.property(fc.string(), text => addressOf(`/${text}`) !== undefined));
});

test('advice comes after six successes, for an interval that does not fit and a grace that is nearly used', t => {
  const each = (gap: number, count: number, late = 0) =>
    Array.from({ length: count }, (_, index) => ({ at: index * gap, expectedAt: index * gap - late }));
  t.is(adviceOf(timing, each(60_000, 5)), null);
  t.deepEqual(adviceOf(timing, each(60_000, 6)), {
    kind: 'interval_too_long',
    observed_seconds: 60,
    suggested_seconds: 60,
  });
  t.is(adviceOf(timing, each(400_000, 8))?.kind, 'interval_too_short');
  t.is(adviceOf(timing, each(300_000, 8)), null);
  t.deepEqual(adviceOf(timing, each(300_000, 8, 50_000)), {
    kind: 'grace_too_short',
    observed_seconds: 50,
    suggested_seconds: 100,
  });
});
