import type { WebSocket } from 'ws';
import { Assignments } from '#agent/assignments.ts';
import { ClockOffset } from '#agent/clock-offset.ts';
import { Link, type LinkOptions } from '#agent/link.ts';
import type { Attempt, UnspooledResult } from '#agent/probe/check.ts';
import { Runner } from '#agent/runner.ts';
import { Schedule } from '#agent/schedule.ts';
import { Outbox } from '#agent/spool/outbox.ts';
import { Spool } from '#agent/spool/spool.ts';
import { capabilities } from '#shared/capabilities.ts';
import { hourMs } from '#shared/duration.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { makeResult } from '../support/results.ts';
import { oldCapabilities, requireAble } from './abilities.ts';
import { silentLog } from './log.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';
import type { SpoolDisk } from './spool-disk.ts';
import type { World } from './world.ts';

/** The machine of an agent: what outlives its process. */
export type AgentHost = {
  id: string;
  region: string;
  disk: SpoolDisk;
  random: Random;
  spoolBytesMax: number;
  /** Whether the version that is installed is one of the first. */
  isOld: boolean;
};

/** An agent made of the product's parts: what is not simulated is how they are put together (`agent/agent.ts`). */
export class Agent {
  readonly assignments: Assignments;
  readonly spool: Spool;
  readonly #process: Process;
  readonly #clock: ClockOffset;

  constructor(world: World, process: Process, host: AgentHost) {
    this.#process = process;
    const able: readonly string[] = host.isOld ? oldCapabilities : capabilities;
    const clock = new ClockOffset(process.now, process.wall() - process.now());
    this.#clock = clock;
    const lanes = () => this.assignments.lanes;
    this.spool = new Spool({
      directory: '',
      bytesMax: host.spoolBytesMax,
      ageMaxMs: hourMs,
      now: () => clock.now(),
      log: silentLog,
      onRows: () => outbox.pump(),
      open: () => ({ file: host.disk.open(process), movedTo: null }),
      timers: process,
    });
    const runner = new Runner({
      concurrency: 10,
      lanes,
      makeAttempt: (assignment, attempt) => this.#check(world, host, assignment, attempt),
      report: result => this.spool.append(result),
      onError: error => world.ledger.fail(`a check failed unexpectedly: ${error}`),
      timers: process,
    });
    const schedule = new Schedule(
      clock,
      (assignment, kind, at) => runner.start(assignment, kind, at),
      () => {},
      process,
    );
    this.assignments = new Assignments(schedule);
    const link = new Link({
      url: '',
      secret: '',
      trust: {} as LinkOptions['trust'],
      clock,
      log: silentLog,
      hello: () => ({
        type: 'hello',
        protocol: 1,
        version: '0',
        boot_id: process.name,
        held: this.assignments.state,
        spool: this.spool.counts,
        capabilities: [...able],
      }),
      onOpen: () => {
        sent.clear();
        outbox.open();
      },
      onClose: () => {
        outbox.close();
        this.assignments.discardPartialSnapshot();
      },
      onMessage: message => {
        if (message.type === 'ack') outbox.onAck(message);
        else if (message.type === 'check_now')
          schedule.checkNow(message.monitor_id, message.config_version, message.at, message.kind);
        else if (message.type === 'assignments') {
          requireAble(world, host.id, able, message.put);
          if (this.assignments.apply(message)) link.send({ type: 'applied', ...this.assignments.state });
        }
      },
      random: host.random.next,
      timers: process,
      connect: () => world.dial(process, host) as unknown as WebSocket,
    });
    /** Over this connection. An acknowledgement says nothing of rows that could not be read and sent. */
    const sent = new Set<number>();
    const outbox = new Outbox({
      readAfter: (seq, limit) => this.spool.readAfter(seq, limit),
      acknowledge: seq => {
        const rows = host.disk.rows.filter(row => sent.has(row.seq));
        world.ledger.acknowledged(host.id, rows, seq);
        this.spool.acknowledge(seq);
      },
      send: text => {
        const isSent = link.sendText(text);
        if (isSent) for (const { seq } of JSON.parse(text).results) sent.add(seq);
        if (isSent && world.mutation === 'spool deletes what it sends') this.spool.acknowledge(JSON.parse(text).to_seq);
        return isSent;
      },
      onAckTimeout: () => link.reconnect('results are not acknowledged'),
      log: silentLog,
      timers: process,
    });
    schedule.run();
    link.start();
  }

  async #check(world: World, host: AgentHost, assignment: Assignment, attempt: Attempt): Promise<UnspooledResult> {
    const startedAt = this.#clock.now();
    const finding = world.probe(host.region, assignment.monitor_id, assignment.timeout_ms);
    await this.#process.wait(finding.lastsMs);
    return makeResult({
      monitor_id: assignment.monitor_id,
      config_version: assignment.config_version,
      kind: attempt.kind,
      attempt: attempt.attempt,
      scheduled_at: attempt.scheduledAt,
      started_at: startedAt,
      completed_at: Math.max(startedAt, this.#clock.now()),
      tls: world.certificateOf(assignment.monitor_id),
      ...(finding.failure === null ? {} : failed(finding.failure)),
    });
  }
}

function failed(source: 'target' | 'probe') {
  const error = { code: 'connect_refused' as const, message: 'refused' };
  return {
    status: 'err' as const,
    latency_ms: null,
    timings: null,
    status_code: null,
    error,
    failure_source: source,
    tls: null,
  };
}
