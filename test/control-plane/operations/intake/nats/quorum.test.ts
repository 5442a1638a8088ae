import test from 'ava';
import { openBroker } from '#control-plane/operations/intake/nats/broker.ts';
import { createResultPublisher } from '#control-plane/operations/intake/nats/result-publisher.ts';
import { streamsPerKind } from '#control-plane/operations/intake/nats/streams.ts';
import { partitionOf } from '#control-plane/platform/db/group-commit.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { createLog, type Logger } from '#shared/log.ts';
import { until } from '#test/support/control-plane.ts';
import { startNats } from '#test/support/nats.ts';
import { makeResult } from '#test/support/results.ts';

/** Longer than two tries of a message. */
const alonePublishMs = 12_000;

/** Monitors whose results go through all eight streams. */
function monitorsOfAllStreams(): string[] {
  const byStream = new Map<number, string>();
  for (let index = 0; byStream.size < streamsPerKind; index++)
    byStream.set(partitionOf(`mon_${index}`, streamsPerKind), `mon_${index}`);
  return [...byStream.values()];
}

test('a server that lost its quorum acknowledges nothing that it then loses', async t => {
  await using nats = await startNats({ servers: 3 });
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const log: Logger = Object.assign(Object.create(createLog({ name: 'test', level: 'silent' })), { warn });
  const connection = { servers: nats.settings.connection.servers.slice(0, 1) };
  await using broker = await openBroker({ ...nats.settings, connection }, log);
  t.is(warnings.filter(message => /can lose what it acknowledged/.test(message)).length, 3);
  const streams = broker.streams.filter(({ kind }) => kind === 'results');
  const lastSeqs = () => Promise.all(streams.map(async ({ name }) => (await broker.standingOf(name)).lastSeq));
  const publisher = createResultPublisher({ broker, clock: { now: Date.now }, log, metrics: createMetrics() });
  const before = await until(lastSeqs, seqs => seqs.every(seq => seq === 0));
  for (const server of [1, 2]) nats.signal('SIGSTOP', server);
  const stoppedAt = performance.now();
  const sender = { agentId: 'agt_1', region: 'in-a', isPrivate: false };
  const recorded = Promise.all(
    monitorsOfAllStreams().map(monitorId =>
      publisher.record(sender, [{ ...sender, result: { ...makeResult(), monitor_id: monitorId, seq: 1 } }]),
    ),
  );
  await until(() => performance.now() - stoppedAt > alonePublishMs, true);
  await nats.kill(0);
  for (const server of [1, 2]) nats.signal('SIGCONT', server);
  await nats.start(0);
  let isRecorded = false;
  const noted = recorded.then(() => {
    isRecorded = true;
  });
  await until(() => isRecorded, true);
  await noted;
  const after = await until(lastSeqs, seqs => seqs.length === 8);
  t.true(after.every((seq, index) => seq > (before[index] ?? 0)));
  await publisher.stop(0);
});

test('streams are made once enough servers of a cluster are up', async t => {
  await using nats = await startNats({ servers: 3 });
  await Promise.all([0, 1, 2].map(server => nats.kill(server)));
  const first = [0, 1].map(server => nats.start(server));
  const reasons: string[] = [];
  const warn = (fields: { reason?: string }) => void reasons.push(fields.reason ?? '');
  const log: Logger = Object.assign(Object.create(createLog({ name: 'test', level: 'silent' })), { warn });
  const opening = openBroker({ ...nats.settings, monitorUrls: nats.settings.monitorUrls.slice(0, 2) }, log);
  await until(() => reasons.some(reason => /no suitable peers/.test(reason)), true);
  await nats.start(2);
  await Promise.all(first);
  await using broker = await opening;
  const [stream] = broker.streams;
  t.is((await broker.standingOf(stream?.name ?? '')).lastSeq, 0);
});
