import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import type { StoredFacts } from '#shared/checks/facts.ts';
import type { StepFacts } from '#shared/checks/step-facts.ts';
import { makeNewResult } from '../../support/monitor-state.ts';

/** Good results of one kind, as its agents report them: what differs from check to check is random. */
export type KindOfResult = {
  name: string;
  /** Bytes that a result may take beside its template, from contract-checks.md §6; null for HTTP. */
  bytesMax: number | null;
  make(at: number): Partial<NewResult>;
};

const stepNames = ['order', 'read', 'cancel'];
const tls = {
  protocol: 'TLSv1.3',
  valid_to: '2027-02-01T00:00:00.000Z',
  days_left: 66,
  valid_from: '2026-11-01T00:00:00.000Z',
  issuer: 'CN=R11, O=Example',
  subject: 'CN=shop.example',
  fingerprint_sha256: 'ab'.repeat(32),
};

/** Milliseconds with three decimals, as agents measure. */
const ms = (from: number, to: number) => Math.round((from + Math.random() * (to - from)) * 1000) / 1000;
const int = (from: number, to: number) => from + Math.floor(Math.random() * (to - from));
const base32 = () => Array.from({ length: 32 }, () => int(0, 16).toString(16)).join('');

function timed(changes: Partial<NonNullable<NewResult['timings']>> = {}) {
  const phases = { dns_ms: ms(0.2, 3), connect_ms: ms(1, 40), tls_ms: null, first_byte_ms: null, download_ms: null };
  return { latency_ms: ms(20, 180), remote_ip: '192.0.2.1', timings: { ...phases, ...changes } };
}

const overHttps = (facts: StoredFacts, changes: Partial<NewResult> = {}): Partial<NewResult> => ({
  ...timed({ tls_ms: ms(5, 40), first_byte_ms: ms(10, 90), download_ms: ms(0.1, 9) }),
  status_code: 200,
  bytes: int(18_000, 19_000),
  tls,
  assertions: [{ index: 0, type: 'status', passed: true, expected: 'eq 200', actual: '200' }],
  facts,
  ...changes,
});
const withoutStatus = { status_code: null, bytes: 0, assertions: [] };
const answers = (count: number, ttl: () => number) =>
  Array.from({ length: count }, (_, index) => ({
    name: 'www.example.com',
    type: 'A',
    ttl: ttl(),
    data: `192.0.2.${100 + index}`,
  }));

function dns(count: number): Partial<NewResult> {
  const ttl = int(1, 86_400);
  const facts = { server: '192.0.2.53:53', rcode: 'NOERROR', truncated: false, servers: [] };
  const assertions = [
    { index: 0, type: 'dns_record', passed: true, expected: 'eq 192.0.2.100', actual: '192.0.2.100' } as const,
  ];
  return {
    ...withoutStatus,
    ...timed({ dns_ms: ms(0.5, 40), connect_ms: null }),
    assertions,
    facts: { dns: { ...facts, answers: answers(count, () => ttl) } },
  };
}

/** With an assertion of each figure. */
function ping(): Partial<NewResult> {
  const figures = { sent: 10, received: 10, min_ms: ms(10, 90), avg_ms: ms(90, 120), max_ms: ms(120, 400) };
  const assertions = (['latency', 'packet_loss', 'jitter'] as const).map((type, index) => ({
    index,
    type,
    passed: true,
    expected: 'lt 500',
    actual: type === 'packet_loss' ? '0' : String(ms(10, 90)),
  }));
  const facts = { ping: { ...figures, jitter_ms: ms(1, 20) } };
  return { ...withoutStatus, latency_ms: figures.avg_ms, remote_ip: '192.0.2.1', timings: null, assertions, facts };
}

function addresses(count: number): Partial<NewResult> {
  const list = Array.from({ length: count }, (_, index) => ({
    address: `2001:db8::${index}`,
    ok: true,
    error_code: null,
    ms: ms(101, 400),
  }));
  const round = { at: new Date(1_795_000_000_000 + int(0, 86_400_000)).toISOString(), total: count, answering: count };
  return overHttps({ http_version: '1.1', addresses: { ...round, list } });
}

function multistep(count: number): Partial<NewResult> {
  const steps = Array.from(
    { length: count },
    (_, index): StepFacts => ({
      name: stepNames[index] ?? `step ${index}`,
      status: 'ok',
      reason: null,
      status_code: 200,
      latency_ms: ms(20, 900),
      timings: {
        dns_ms: ms(0.2, 3),
        connect_ms: ms(1, 40),
        tls_ms: ms(5, 40),
        first_byte_ms: ms(10, 800),
        download_ms: ms(0.1, 9),
      },
      error: null,
      http_version: '1.1',
    }),
  );
  const assertions = steps.map((_, index) => ({
    index,
    type: 'latency' as const,
    passed: true,
    expected: 'lt 1000 ms',
    actual: String(ms(20, 900)),
    step: index,
  }));
  return overHttps({ steps }, { assertions });
}

function signal(): Partial<NewResult> {
  const rid = `${base32().slice(0, 8)}-${base32().slice(0, 4)}-4abc-8abc-${base32().slice(0, 12)}`;
  const seen = { type: 'success', exit_code: 0, run_seconds: ms(10, 86_400), rid, source: 'healthchecks' } as const;
  return {
    ...withoutStatus,
    kind: 'signal',
    region: 'heartbeat',
    latency_ms: ms(10_000, 80_000_000),
    remote_ip: null,
    timings: null,
    facts: { signal: seen },
  };
}

const lookup = {
  name: 'example.com',
  registrar: 'Example Registrar',
  statuses: ['client transfer prohibited', 'client update prohibited'],
  ends_at: '2027-08-13T04:00:00.000Z',
  registered_at: '1995-08-14T04:00:00.000Z',
  server: 'rdap.example:443',
};

export const kindsOfResults: readonly KindOfResult[] = [
  { name: 'http', bytesMax: null, make: () => overHttps({ http_version: '1.1' }) },
  { name: 'tcp', bytesMax: 150, make: () => ({ ...withoutStatus, ...timed(), bytes: int(10, 90) }) },
  {
    name: 'tls',
    bytesMax: 150,
    make: () => ({ ...withoutStatus, ...timed({ tls_ms: ms(5, 40), starttls_ms: ms(1, 90) }), tls }),
  },
  { name: 'dns, 4 records', bytesMax: 150, make: () => dns(4) },
  { name: 'dns, 50 records', bytesMax: 150, make: () => dns(50) },
  { name: 'ping', bytesMax: 150, make: ping },
  {
    name: 'grpc',
    bytesMax: 150,
    make: () => ({ ...withoutStatus, ...timed(), facts: { grpc: { status: 'SERVING', code: 0 } } }),
  },
  {
    name: 'websocket',
    bytesMax: 150,
    make: () => ({
      ...withoutStatus,
      ...timed({ tls_ms: ms(5, 40), proxy_ms: ms(1, 90), auth_ms: ms(1, 90) }),
      tls,
      facts: { websocket: { subprotocol: 'chat', messages: int(1, 20) } },
    }),
  },
  { name: 'https, each of 4 addresses', bytesMax: 150, make: () => addresses(4) },
  { name: 'https, each of 16 addresses', bytesMax: 150, make: () => addresses(16) },
  { name: 'multistep, 3 steps', bytesMax: 150 + 3 * 40, make: () => multistep(3) },
  { name: 'multistep, 10 steps', bytesMax: 150 + 10 * 40, make: () => multistep(10) },
  { name: 'heartbeat', bytesMax: 150, make: signal },
  {
    name: 'domain',
    bytesMax: 150,
    make: () => ({
      ...withoutStatus,
      ...timed({ dns_ms: null, connect_ms: null, first_byte_ms: ms(50, 900) }),
      kind: 'lookup',
      region: 'registry',
      facts: { domain: lookup },
    }),
  },
];

/** A whole result of a monitor at an instant. */
export function resultOf({ make }: KindOfResult, monitorId: string, region: string, at: number): NewResult {
  const changes = make(at);
  const started = at + int(1, 900);
  return makeNewResult(at, {
    monitor_id: monitorId,
    region,
    agentId: `agt_${'0'.repeat(24)}${region.slice(-2)}`,
    started_at: started,
    completed_at: started + int(20, 900),
    receivedAt: started + int(1000, 3000),
    ...changes,
  });
}
