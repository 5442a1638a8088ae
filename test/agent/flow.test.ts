import test from 'ava';
import { startTestAgent } from '../support/agent.ts';
import { makeAssignment, rarely, startGateway } from '../support/gateway.ts';
import { answer, delayed, ok, startTarget } from '../support/target.ts';

test('an agent connects, runs its assignments and reports each slot once', async t => {
  await using target = await startTarget();
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway);
  const assignment = makeAssignment({ url: target.url, interval_ms: 300, timeout_ms: 20_000 });
  await gateway.until(() => gateway.isConnected && gateway.of('hello').length === 1);
  gateway.assign([assignment]);
  await gateway.until(() => gateway.results.length >= 3);
  await agent.stop();
  // A result is sent again, with its number, if its acknowledgement takes long.
  const reported = [...new Map(gateway.results.map(result => [result.seq, result])).values()];
  t.is(new Set(reported.map(result => result.scheduled_at)).size, reported.length);
  for (const result of gateway.results) {
    t.like(result, {
      status: 'ok',
      kind: 'scheduled',
      attempt: 1,
      status_code: 200,
      error: null,
      failure_source: null,
    });
    t.is(result.scheduled_at % 300, 0);
    t.true(result.started_at >= result.scheduled_at && result.started_at - result.scheduled_at < 60_000);
  }
});

test('a failed check is reported immediately and repeated a second later', async t => {
  await using target = await startTarget(answer(503));
  await using gateway = await startGateway();
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  const assignment = makeAssignment({ url: target.url, ...rarely(), timeout_ms: 20_000 });
  gateway.assign([assignment]);
  const at = Date.now();
  gateway.checkNow(assignment, at);
  await gateway.until(() => gateway.results.length === 1);
  t.like(gateway.results[0], {
    attempt: 1,
    kind: 'confirm',
    scheduled_at: at,
    status: 'err',
    failure_source: 'target',
  });
  await gateway.until(() => gateway.results.length === 2);
  const [first, second] = gateway.results;
  t.like(second, { attempt: 2, kind: 'confirm', scheduled_at: at, status: 'err' });
  t.true((second?.started_at ?? 0) - (first?.completed_at ?? 0) >= 990);
});

test('check_now for another config_version is ignored, and during a run it starts right after it', async t => {
  await using target = await startTarget(delayed(200));
  await using gateway = await startGateway();
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  const assignment = makeAssignment({ url: target.url, ...rarely(), timeout_ms: 20_000 });
  gateway.assign([assignment]);
  gateway.checkNow({ ...assignment, config_version: 2 }, 1000);
  gateway.checkNow(assignment, 2000);
  gateway.checkNow(assignment, 3000);
  await gateway.until(() => gateway.results.length === 2);
  t.deepEqual(
    gateway.results.map(result => result.scheduled_at),
    [2000, 3000],
  );
  t.is(target.concurrentMax, 1);
});

test('a stopping agent completes its running checks and sends their results', async t => {
  await using target = await startTarget(delayed(400, ok()));
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  const assignment = makeAssignment({ url: target.url, ...rarely(), timeout_ms: 20_000 });
  gateway.assign([assignment]);
  gateway.checkNow(assignment, 5000);
  await target.requested(1);
  t.is(gateway.results.length, 0);
  await agent.stop();
  t.like(gateway.results[0], { scheduled_at: 5000, status: 'ok' });
});
