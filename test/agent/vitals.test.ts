import test from 'ava';
import { type Gauges, Vitals } from '#agent/vitals.ts';
import { type AgentMessage, agentMessageSchema } from '#shared/protocol/messages.ts';

const gauges: Gauges = {
  clock_offset_ms: -1.5,
  assignments: 3,
  queue_depth: 2,
  spool: { count: 4, bytes: 500, dropped: 1, failing: true },
};

type VitalsMessage = Extract<AgentMessage, { type: 'vitals' }>;

/** Makes one report; `accepted` is the answer of the connection. */
function report(vitals: Vitals, accepted = true): VitalsMessage {
  const messages: VitalsMessage[] = [];
  vitals.report(gauges, message => {
    messages.push(message);
    return accepted;
  });
  const [message] = messages;
  if (message === undefined || messages.length > 1) throw new Error('one message per report');
  return message;
}

test('a report has the gauges as they are and every counter at zero for an idle agent', t => {
  const message = report(new Vitals());
  t.like(message, { type: 'vitals', ...gauges, checks: 0, late_starts: 0, missed: {} });
  t.true(message.rss_bytes > 1_000_000);
  t.true(message.period_ms >= 0 && Number.isInteger(message.period_ms));
});

test('a report is a valid message of the protocol', t => {
  const vitals = new Vitals();
  vitals.noteStart(10);
  vitals.noteMissed('overloaded', 3);
  t.true(agentMessageSchema.safeParse(report(vitals)).success);
});

for (const [lateByMs, lateStarts] of [
  [0, 0],
  [250, 0],
  [251, 1],
  [-20, 0],
] as const)
  test(`a start ${lateByMs} ms after its slot counts ${lateStarts} late starts`, t => {
    const vitals = new Vitals();
    vitals.noteStart(lateByMs);
    t.like(report(vitals), { checks: 1, late_starts: lateStarts });
  });

test('missed slots add up by reason', t => {
  const vitals = new Vitals();
  vitals.noteMissed('suspended', 360);
  vitals.noteMissed('overloaded', 1);
  vitals.noteMissed('suspended', 2);
  t.deepEqual(report(vitals).missed, { suspended: 362, overloaded: 1 });
});

test('counters restart after a report that was sent, and go on after one that was not', t => {
  const vitals = new Vitals();
  vitals.noteStart(300);
  vitals.noteMissed('previous_running', 1);
  const expected = { checks: 1, late_starts: 1, missed: { previous_running: 1 } };
  t.like(report(vitals, false), expected);
  vitals.noteStart(0);
  t.like(report(vitals, true), { ...expected, checks: 2 });
  t.like(report(vitals), { checks: 0, late_starts: 0, missed: {} });
});
