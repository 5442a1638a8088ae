import { randomUUID } from 'node:crypto';
import { hourMs } from '#shared/duration.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Logger } from '#shared/log.ts';
import { queryNameServers } from '#shared/network/name-servers.ts';
import { watchOwnAddresses } from '#shared/network/own-addresses.ts';
import { Resolver } from '#shared/network/resolver.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import { findAbilities } from './abilities.ts';
import { Assignments } from './assignments.ts';
import { ClockOffset } from './clock-offset.ts';
import type { AgentConfig } from './config.ts';
import { startHeartbeat } from './heartbeat.ts';
import { CpuShares } from './lanes/cpu-shares.ts';
import { Link } from './link.ts';
import { AddressRounds } from './probe/addresses/rounds.ts';
import { TokenCache } from './probe/auth/token-cache.ts';
import { type CheckTools, check } from './probe/check.ts';
import { NodeSelector } from './probe/json-path.ts';
import { NetworkHealth } from './probe/network-health.ts';
import { OnRequest } from './probe/on-request.ts';
import { SecretIndexes } from './probe/secret-indexes.ts';
import { StandStillWatch } from './probe/stand-still.ts';
import { createTrust } from './probe/trust.ts';
import { Runner } from './runner.ts';
import { Schedule } from './schedule.ts';
import { Outbox } from './spool/outbox.ts';
import { Spool } from './spool/spool.ts';
import { version } from './version.ts';
import { Vitals, vitalsEveryMs } from './vitals.ts';

/** A running agent. */
export type RunningAgent = {
  /** Waits up to 30 s for running checks, up to 2 s for the spool to be sent if connected, then stops. Idempotent. */
  stop(): Promise<void>;
  /** Gauges for tests and for programs that embed the agent. */
  counts(): { assignments: number; queued: number; spool: { count: number; bytes: number; dropped: number } };
};

/** Parts that a test may replace. */
export type AgentParts = { resolver?: Resolver; clock?: ClockOffset; drainMs?: number };

/** Bytes of bodies that all checks may hold at the same time. */
const bodyBytesMax = 67_108_864;
const drainMaxMs = 30_000;
const flushMaxMs = 2000;

/**
 * Starts an agent, which connects, reconnects and runs checks until `stop()`. Throws if it may not write its spool
 * or a certificate file cannot be read; a full disk and an unreachable control plane are no errors.
 */
export async function startAgent(config: AgentConfig, log: Logger, parts: AgentParts = {}): Promise<RunningAgent> {
  const clock = parts.clock ?? new ClockOffset();
  const trust = createTrust(config.extraCaFile);
  const vitals = new Vitals();
  const lanes = () => assignments.lanes;
  const selector = new NodeSelector(lanes);
  const abilities = await findAbilities(config, lanes);
  for (const { word, reason } of abilities.incapable) log.info({ word, reason }, 'this host lets the agent do less');
  const health = new NetworkHealth(() => link.isSilent());
  const tools: CheckTools = {
    resolver: parts.resolver ?? new Resolver(queryNameServers(config.dnsServers)),
    trust,
    policy: { ...config.addressPolicy, ownAddresses: watchOwnAddresses() },
    health,
    clock,
    standStill: new StandStillWatch(),
    ping: abilities.ping,
    checkServers: config.dnsCheckServers,
    source: config.source,
    selectFor: lane => selector.selectFor(lane),
    decideFor: lane => selector.decideFor(lane),
    bodies: new FairPool(bodyBytesMax, lanes),
    secrets: new SecretIndexes(lanes),
    cpu: new CpuShares(lanes),
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
  };
  const onRequest = new OnRequest(tools);
  const spool = new Spool({
    directory: config.dataDir,
    bytesMax: config.spoolBytesMax,
    ageMaxMs: config.spoolAgeHoursMax * hourMs,
    now: () => clock.now(),
    log,
    onRows: () => outbox.pump(),
  });
  const runner = new Runner({
    concurrency: config.concurrency,
    lanes,
    makeAttempt: (assignment, attempt) => {
      const onSlot = attempt.kind === 'scheduled' && attempt.attempt === 1;
      vitals.noteStart(onSlot ? clock.now() - attempt.scheduledAt : 0);
      return check(assignment, attempt, tools);
    },
    report: result => spool.append(result),
    onError: error => log.error({ err: error }, 'a check failed unexpectedly'),
  });
  const schedule = new Schedule(
    clock,
    (assignment, kind, scheduledAt) => runner.start(assignment, kind, scheduledAt),
    (reason, count) => vitals.noteMissed(reason, count),
  );
  const assignments = new Assignments(schedule, assignment => tools.secrets.forget(assignment));
  const bootId = randomUUID();
  const link = new Link({
    url: config.controlPlaneUrl,
    secret: config.secret,
    trust,
    clock,
    log,
    hello: () => ({
      type: 'hello',
      protocol: 1,
      version,
      boot_id: bootId,
      held: assignments.state,
      spool: spool.counts,
      capabilities: [...abilities.words],
      ...(abilities.incapable.length === 0 ? {} : { incapable: abilities.incapable }),
    }),
    onOpen: () => outbox.open(),
    onClose: () => {
      outbox.close();
      assignments.discardPartialSnapshot();
    },
    onMessage: message => dispatch(message),
  });
  const outbox = new Outbox({
    readAfter: (seq, limit) => spool.readAfter(seq, limit),
    acknowledge: seq => spool.acknowledge(seq),
    send: text => link.sendText(text),
    onAckTimeout: () => link.reconnect('results are not acknowledged'),
    log,
  });

  function dispatch(message: Exclude<ControlMessage, { type: 'welcome' | 'goaway' }>): void {
    switch (message.type) {
      case 'assignments':
        if (assignments.apply(message)) link.send({ type: 'applied', ...assignments.state });
        return;
      case 'check_now':
        return schedule.checkNow(message.monitor_id, message.config_version, message.at, message.kind);
      case 'probe_now':
        // Nobody waits for the answer any more if the connection is gone by then.
        return void onRequest.probe(message).then(
          answer => link.send(answer),
          error => log.error({ err: error }, 'an attempt on request failed unexpectedly'),
        );
      case 'ack':
        return outbox.onAck(message);
    }
  }

  const reportVitals = () =>
    vitals.report(
      {
        clock_offset_ms: clock.hostOffsetMs,
        assignments: assignments.count,
        queue_depth: runner.queued,
        spool: spool.counts,
      },
      message => link.send(message),
    );
  const vitalsTimer = setInterval(reportVitals, vitalsEveryMs);
  const heartbeat = config.heartbeatFile === null ? null : startHeartbeat(config.heartbeatFile, log);
  schedule.run();
  link.start();

  let stopping: Promise<void> | null = null;
  async function stop(): Promise<void> {
    schedule.stop();
    const complete = await runner.drain(parts.drainMs ?? drainMaxMs);
    if (!complete) log.warn('stopping although some checks are still running');
    spool.flush();
    for (const endMs = performance.now() + flushMaxMs; !outbox.isEmpty && !link.isDown && performance.now() < endMs; )
      await wait(20);
    clearInterval(vitalsTimer);
    heartbeat?.[Symbol.dispose]();
    link.stop();
    outbox.close();
    spool.close();
    await selector[Symbol.asyncDispose]();
    log.info('stopped');
  }
  return {
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
    counts: () => ({ assignments: assignments.count, queued: runner.queued, spool: spool.counts }),
  };
}
