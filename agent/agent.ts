import { randomUUID } from 'node:crypto';
import type { Logger } from '#shared/log.ts';
import { askNameServers, Resolver } from '#shared/network/resolver.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import { Assignments } from './assignments.ts';
import { type CheckTools, check } from './check.ts';
import { ClockOffset } from './clock-offset.ts';
import type { AgentConfig } from './config.ts';
import { Link } from './link.ts';
import { NetworkHealth } from './network-health.ts';
import { Outbox } from './outbox.ts';
import { Runner } from './runner.ts';
import { Schedule } from './schedule.ts';
import { NodeSelector } from './select-nodes.ts';
import { Spool } from './spool.ts';
import { createTrust } from './trust.ts';
import { version } from './version.ts';
import { Vitals, vitalsEveryMs } from './vitals.ts';

/** An agent at work. */
export type RunningAgent = {
  /** Ends what runs within 30 s, hands over what the spool holds if connected, and closes all. */
  stop(): Promise<void>;
  /** Counters for tests and for whoever embeds the agent. */
  counts(): { assignments: number; waiting: number; spool: { count: number; bytes: number; dropped: number } };
};

/** Parts a test may replace. */
export type AgentParts = { resolver?: Resolver; clock?: ClockOffset; drainMs?: number };

const drainMaxMs = 30_000;
const handOverMaxMs = 2000;
const hourMs = 3_600_000;

/** Starts an agent; it connects by itself and works until it is stopped. Throws when its spool cannot be held. */
export async function startAgent(config: AgentConfig, log: Logger, parts: AgentParts = {}): Promise<RunningAgent> {
  const clock = parts.clock ?? new ClockOffset();
  const trust = createTrust(config.extraCaFile);
  const vitals = new Vitals();
  const selector = new NodeSelector();
  const health = new NetworkHealth(() => link.isSilent());
  const tools: CheckTools = {
    resolver: parts.resolver ?? new Resolver(askNameServers(config.dnsServers)),
    trust,
    policy: config.addressPolicy,
    health,
    clock,
    select: selector.select,
  };
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
    makeAttempt: (assignment, occasion) => {
      const onSlot = occasion.kind === 'scheduled' && occasion.attempt === 1;
      vitals.noteStart(onSlot ? clock.now() - occasion.scheduledAt : 0);
      return check(assignment, occasion, tools);
    },
    report: result => spool.append(result),
    failed: error => log.error({ err: error }, 'a check broke off'),
  });
  const schedule = new Schedule(
    clock,
    (assignment, kind, scheduledAt) => runner.start(assignment, kind, scheduledAt),
    (reason, count) => vitals.noteMissed(reason, count),
  );
  const assignments = new Assignments(schedule);
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
      held: assignments.held,
      spool: spool.counts,
    }),
    onOpen: () => outbox.open(),
    onClose: () => {
      outbox.close();
      assignments.forgetPart();
    },
    onMessage: message => take(message),
  });
  const outbox = new Outbox({
    readAfter: (seq, limit) => spool.readAfter(seq, limit),
    acknowledge: seq => spool.acknowledge(seq),
    send: text => link.sendText(text),
    onSilence: () => link.restart('results are not acknowledged'),
    log,
  });

  function take(message: Exclude<ControlMessage, { type: 'welcome' | 'goaway' }>): void {
    switch (message.type) {
      case 'assignments':
        if (assignments.apply(message)) link.send({ type: 'applied', ...assignments.held });
        return;
      case 'check_now':
        return schedule.checkNow(message.monitor_id, message.config_version, message.at);
      case 'ack':
        return outbox.onAck(message);
    }
  }

  const reportVitals = () =>
    vitals.report(
      {
        clock_offset_ms: clock.hostOffsetMs,
        assignments: assignments.count,
        queue_depth: runner.waiting,
        spool: spool.counts,
      },
      message => link.send(message),
    );
  const vitalsTimer = setInterval(reportVitals, vitalsEveryMs);
  schedule.run();
  link.start();

  let stopping: Promise<void> | null = null;
  async function stop(): Promise<void> {
    schedule.stop();
    const complete = await runner.drain(parts.drainMs ?? drainMaxMs);
    if (!complete) log.warn('checks still running are given up');
    spool.flush();
    for (
      const endMs = performance.now() + handOverMaxMs;
      !outbox.isEmpty && !link.isDown && performance.now() < endMs;
    )
      await new Promise(resolve => setTimeout(resolve, 20));
    clearInterval(vitalsTimer);
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
    counts: () => ({ assignments: assignments.count, waiting: runner.waiting, spool: spool.counts }),
  };
}
