import { randomInt } from 'node:crypto';
import { countedAttemptMax, type StoredResult } from '#shared/check-result.ts';
import type { SignalFacts } from '#shared/checks/facts.ts';
import type { Reported } from '../checks/intake/prepare.ts';
import type { Receiver } from './store.ts';

/** Of what comes with a signal, so much of its end is kept; more than `readMax` is not looked at. */
const outputMax = 8192;
const readMax = 102_400;
const attemptMax = 32_000;

/** What is known of a signal when it comes. */
export type Incoming = {
  signal: Pick<SignalFacts, 'type' | 'exit_code' | 'source'>;
  rid: string | null;
  latencyMs: number | null;
};

/** Pure but for the draw that tells signals of one millisecond apart: a signal as the result that is stored. */
export function resultOfSignal(
  receiver: Receiver,
  incoming: Incoming,
  sealedOutput: string | null,
  at: number,
): Reported {
  const { signal, rid, latencyMs } = incoming;
  const counts = signal.type === 'success' || signal.type === 'fail';
  const attempt = counts ? randomInt(1, countedAttemptMax + 1) : randomInt(countedAttemptMax + 1, attemptMax);
  const result: StoredResult = {
    seq: 1,
    monitor_id: receiver.monitor_id,
    config_version: receiver.config_version,
    kind: 'signal',
    attempt,
    scheduled_at: at,
    started_at: at,
    completed_at: at,
    status: signal.type === 'fail' ? 'err' : 'ok',
    latency_ms: latencyMs,
    timings: null,
    status_code: null,
    error: signal.type === 'fail' ? { code: 'heartbeat_failed', message: messageOf(signal) } : null,
    failure_source: signal.type === 'fail' ? 'target' : null,
    assertions: [],
    remote_ip: null,
    bytes: 0,
    truncated: false,
    tls: null,
    facts: { signal: { ...signal, run_seconds: null, rid } },
    ...(sealedOutput === null ? {} : { sealed_output: sealedOutput }),
  };
  return { result, agentId: 'heartbeat', region: 'heartbeat', isPrivate: false, receivedAt: at };
}

function messageOf({ exit_code: code }: Incoming['signal']): string {
  return code === null ? 'the job reported a failure' : `exit code ${code}`;
}

/** Pure: the end of a body as text that can be stored; null for an empty one. */
export function outputOf(body: Buffer): string | null {
  const read = body.subarray(0, readMax);
  const text = read
    .subarray(Math.max(0, read.length - outputMax))
    .toString('utf8')
    .replaceAll('\0', '\ufffd');
  return text === '' ? null : text;
}
