import type { UnspooledResult } from '#agent/probe/check.ts';

/** A result of a good check; `changes` win. */
export function makeResult(changes: Partial<UnspooledResult> = {}): UnspooledResult {
  return {
    monitor_id: 'mon_test',
    config_version: 1,
    kind: 'scheduled',
    attempt: 1,
    scheduled_at: 1000,
    started_at: 1001,
    completed_at: 1010,
    status: 'ok',
    latency_ms: 9,
    timings: { dns_ms: null, connect_ms: 1, tls_ms: null, first_byte_ms: 2, download_ms: 3 },
    status_code: 200,
    error: null,
    failure_source: null,
    assertions: [],
    remote_ip: '127.0.0.1',
    bytes: 2,
    truncated: false,
    tls: null,
    ...changes,
  };
}
