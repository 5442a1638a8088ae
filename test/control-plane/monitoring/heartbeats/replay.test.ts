import test from 'ava';
import fc from 'fast-check';
import { type Attendance, gapsOf, heardUntil } from '#control-plane/monitoring/monitors/heartbeats/away.ts';
import {
  afterDue,
  type Beat,
  deadlineOf,
  dueOf,
  noBeat,
  readSignal,
  type Signal,
  waitsSince,
} from '#control-plane/monitoring/monitors/heartbeats/beat.ts';
import { expectations, expectedAfter, type Timing } from '#control-plane/monitoring/monitors/heartbeats/expected.ts';
import { type BeatEvent, BeatReplay, type BeatVote } from '#control-plane/monitoring/monitors/heartbeats/replay.ts';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { isFull } from '#test/support/full.ts';

/** Some hours before clocks are set: in Berlin forward in March, in New York and on Lord Howe Island back. */
const starts = ['2026-03-28T20:00:00Z', '2026-11-01T01:00:00Z', '2026-04-04T10:00:00Z', '2026-06-01T00:00:00Z'];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
const crons = ['*/5 * * * *', '0 * * * *', '30 2 * * *', '15 1-3 * * *', '*/20 2 * * *', '0 0 1 * *', null, null, null];

const timings: fc.Arbitrary<Timing> = fc.record({
  cron: fc.constantFrom(...crons),
  timezone: fc.constantFrom(...zones),
  intervalSeconds: fc.constantFrom(30, 300, 3600, 86_400),
  graceSeconds: fc.constantFrom(null, 1, 60, 1800),
  maxRunSeconds: fc.constantFrom(null, null, 1, 600, 7200),
});

/** What happens a while after the event before. */
type Step = { afterMs: number; type: Signal['type'] | 'pause' | 'resume'; rid: string | null };
const waits = fc.oneof(
  fc.integer({ min: 0, max: 2 * minuteMs }),
  fc.integer({ min: 0, max: 2 * hourMs }),
  fc.constantFrom(0, 30_000, 300_000, 301_000, 360_000, hourMs),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    afterMs: waits,
    type: fc.constantFrom('success', 'success', 'success', 'start', 'start', 'fail', 'log', 'pause', 'resume'),
    rid: fc.constantFrom(null, null, 'a', 'b'),
  }),
  { maxLength: 40 },
);
/** Fronts that run one after the other, with times between them. */
const fronts = fc.array(fc.record({ ranMs: fc.integer({ min: minuteMs, max: 9 * hourMs }), away: waits }), {
  minLength: 1,
  maxLength: 4,
});
const cases = fc.record({
  start: fc.constantFrom(...starts).map(Date.parse),
  timing: timings,
  steps,
  fronts,
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
});

function eventsOf(startMs: number, list: readonly Step[]): BeatEvent<string>[] {
  let at = startMs;
  let isJudged = true;
  return list.map(({ afterMs, type, rid }, index) => {
    at += afterMs;
    if (type !== 'pause' && type !== 'resume')
      return { type: 'signal', at, signal: { type, at, rid }, of: `${index} ${type}` };
    const restarts = isJudged !== (type === 'resume');
    isJudged = type === 'resume';
    return { type: 'version', at, isJudged, restarts };
  });
}

function rowsOf(startMs: number, list: readonly { ranMs: number; away: number }[]): Attendance[] {
  let startedAt = startMs;
  return list.map(({ ranMs, away }) => {
    const row = { startedAt, renewedAt: startedAt + ranMs };
    startedAt += ranMs + away;
    return row;
  });
}

const textOf = (vote: BeatVote<string>) =>
  vote.type === 'signal'
    ? vote.of
    : `${vote.type} ${new Date(vote.deadline).toISOString()}${vote.type === 'missed' ? ` of ${vote.expectedAt}` : ''}`;

/** As `followSignals` and `judgeDeadlines` do it: with what is known at each instant, and again and again. */
function live(timing: Timing, events: readonly BeatEvent<string>[], rows: readonly Attendance[], endMs: number) {
  const votes: string[] = [];
  let beat: Beat = noBeat;
  let isJudged = true;
  const judge = (nowMs: number) => {
    const known = rows
      .filter(({ startedAt }) => startedAt <= nowMs)
      .map(row => ({ ...row, renewedAt: Math.min(row.renewedAt, nowMs) }));
    const untilMs = heardUntil(known, nowMs);
    for (;;) {
      const gaps = gapsOf(known, Math.min(waitsSince(beat), nowMs), nowMs);
      const due = isJudged ? dueOf(beat, timing, gaps, untilMs) : { type: 'wait' as const, at: null };
      if (due.type === 'wait') return;
      votes.push(textOf(due));
      beat = afterDue(beat, due);
    }
  };
  let nowMs = events[0]?.at ?? endMs;
  for (const event of events) {
    for (; nowMs < event.at; nowMs = Math.min(event.at, nowMs + 7 * minuteMs)) judge(nowMs);
    judge(event.at - 1);
    if (event.type === 'version') {
      if (event.restarts) beat = noBeat;
      isJudged = event.isJudged;
    } else if (isJudged) {
      const deadline = deadlineOf(beat, timing, []);
      const isLate = event.signal.type === 'start' && deadline !== null && deadline < event.at;
      const gaps = isLate ? gapsOf(rows, beat.lastSuccessAt ?? event.at, event.at) : [];
      const reading = readSignal(beat, timing, event.signal, gaps);
      beat = reading.beat;
      if (reading.says !== null) votes.push(event.of);
    }
  }
  for (; nowMs < endMs; nowMs += 7 * minuteMs) judge(nowMs);
  judge(endMs);
  return votes;
}

test('stored signals, read again in parts, say at the same instants what they and their absence said live', t => {
  const property = fc.property(cases, ({ start, timing, steps: list, fronts: ran, sizes }) => {
    const all = eventsOf(start, list);
    const endMs = (all.at(-1)?.at ?? start) + 26 * hourMs;
    const rows = [...rowsOf(start, ran), { startedAt: endMs - minuteMs, renewedAt: endMs }];
    const isTaken = ({ at }: { at: number }) => rows.some(row => row.startedAt <= at && row.renewedAt >= at);
    const events = all.filter(event => event.type === 'version' || isTaken(event));
    const replay = new BeatReplay<string>(timing, gapsOf(rows, start, endMs), true);
    const votes: string[] = [];
    let from = 0;
    for (let part = 0; from < events.length; part += 1) {
      const size = sizes[part % sizes.length] ?? 1;
      votes.push(...replay.apply(events.slice(from, from + size)).map(textOf));
      from += size;
    }
    votes.push(...replay.advance(heardUntil(rows, endMs)).map(textOf));
    const expected = live(timing, events, rows, endMs);
    return votes.join('\n') === expected.join('\n');
  });
  fc.assert(property, { numRuns: isFull ? 3000 : 80 });
  t.pass();
});

test('times that are looked for one after the other are those that are looked for alone', t => {
  const property = fc.property(
    fc.constantFrom(...starts).map(Date.parse),
    timings,
    fc.array(waits, { maxLength: 25 }),
    (start, timing, list) => {
      const expect = expectations(timing);
      let at = start;
      return list.every(wait => {
        at += wait;
        return JSON.stringify(expect(at)) === JSON.stringify(expectedAfter(timing, at));
      });
    },
  );
  fc.assert(property, { numRuns: isFull ? 3000 : 40 });
  t.pass();
});
