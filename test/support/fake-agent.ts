import { once } from 'node:events';
import WebSocket from 'ws';
import type { WireResult } from '#shared/check-result.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import { type AgentMessage, type ControlMessage, subprotocol } from '#shared/protocol/messages.ts';

/** A peer that speaks the agents' protocol but runs no checks: tests choose what it reports. */
export type FakeAgent = AsyncDisposable & {
  messages: ControlMessage[];
  closed: Promise<number>;
  send(message: AgentMessage): void;
  sendText(text: string): void;
  /** Drops the connection without a close frame. */
  vanish(): void;
  /** Sends one batch and resolves when it is acknowledged, with the refused results. Throws if the connection ends. */
  report(results: readonly Partial<WireResult>[]): Promise<{ seq: number; reason: string }[]>;
};

export async function connectFakeAgent(
  url: string,
  secret: string,
  held = { revision: 0, digest: '' },
  capabilities?: string[],
): Promise<FakeAgent> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v0/agents/connect`, subprotocol, {
    headers: { authorization: `Bearer ${secret}` },
  });
  // `closed` reports a broken connection; without a listener its error would end the test process.
  socket.on('error', () => undefined);
  const messages: ControlMessage[] = [];
  const waiting = new Map<number, PromiseWithResolvers<{ seq: number; reason: string }[]>>();
  let seq = 0;
  socket.on('message', data => {
    const message = decodeControlMessage(String(data));
    messages.push(message);
    if (message.type !== 'ack') return;
    waiting.get(message.seq)?.resolve(message.refused);
    waiting.delete(message.seq);
  });
  const closed = new Promise<number>(resolve => socket.once('close', resolve));
  void closed.then(code => {
    for (const { reject } of waiting.values()) reject(new Error(`closed with ${code} before it was acknowledged`));
  });
  await once(socket, 'open');
  const send = (message: AgentMessage) => socket.send(encode(message));
  send({
    type: 'hello',
    protocol: 1,
    version: 'fake',
    boot_id: 'fake',
    held,
    spool: { count: 0, bytes: 0, dropped: 0 },
    ...(capabilities === undefined ? {} : { capabilities }),
  });
  const refused = closed.then(code => Promise.reject(new Error(`closed with ${code} before the welcome`)));
  refused.catch(() => {});
  while (!messages.some(message => message.type === 'welcome')) await Promise.race([once(socket, 'message'), refused]);
  return {
    messages,
    closed,
    send,
    sendText: text => socket.send(text),
    vanish: () => socket.terminate(),
    report: results => {
      const from = seq + 1;
      const numbered = results.map(result => ({ ...blankResult, ...result, seq: ++seq }));
      const acknowledged = Promise.withResolvers<{ seq: number; reason: string }[]>();
      waiting.set(seq, acknowledged);
      // Not every test waits for it.
      acknowledged.promise.catch(() => {});
      send({ type: 'results', from_seq: from, to_seq: seq, results: numbered });
      return acknowledged.promise;
    },
    async [Symbol.asyncDispose]() {
      socket.close(1000);
      await closed;
    },
  };
}

/** A good result; tests change what they need. */
export const blankResult: WireResult = {
  seq: 1,
  monitor_id: '',
  config_version: 1,
  kind: 'scheduled',
  attempt: 1,
  scheduled_at: 0,
  started_at: 0,
  completed_at: 0,
  status: 'ok',
  latency_ms: 12.5,
  timings: { dns_ms: null, connect_ms: 1, tls_ms: null, first_byte_ms: 10, download_ms: 1.5 },
  status_code: 200,
  error: null,
  failure_source: null,
  assertions: [],
  remote_ip: '127.0.0.1',
  bytes: 10,
  truncated: false,
  tls: null,
};

/** A good check that started and completed at an instant; `changes` win. */
export function goodResult(monitorId: string, at: number, changes: Partial<WireResult> = {}): Partial<WireResult> {
  return { monitor_id: monitorId, scheduled_at: at, started_at: at, completed_at: at, ...changes };
}

/** What makes checks warn that see `expiring`, without an alert. */
export const warnsOfCertificates = { alert_rules: { certificate: { enabled: false, in_verdict: true } } };

/** What a check at an instant sees of a certificate that ends in three of its 90 days. */
export function expiring(at: number): Pick<WireResult, 'tls'> {
  return {
    tls: {
      protocol: 'TLSv1.3',
      valid_to: toTimestamp(at + 3 * dayMs),
      days_left: 3,
      valid_from: toTimestamp(at - 87 * dayMs),
      issuer: 'CN=authority',
      subject: 'CN=localhost',
      fingerprint_sha256: 'ab'.repeat(32),
    },
  };
}

/** Both attempts of a check that failed: the second a second later. */
export function badResults(monitorId: string, at: number, changes: Partial<WireResult> = {}): Partial<WireResult>[] {
  const failure: Partial<WireResult> = {
    monitor_id: monitorId,
    scheduled_at: at,
    status: 'err',
    latency_ms: null,
    timings: null,
    status_code: null,
    error: { code: 'connect_refused', message: 'connection refused' },
    failure_source: 'target',
    ...changes,
  };
  return [
    { ...failure, attempt: 1, started_at: at, completed_at: at + 5 },
    { ...failure, attempt: 2, started_at: at + 1000, completed_at: at + 1005 },
  ];
}
