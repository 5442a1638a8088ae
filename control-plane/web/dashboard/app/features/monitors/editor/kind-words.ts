import type { AssertionType } from './assertion-draft.ts';
import type { Kind } from './kind-draft.ts';

/** What each kind is for, in the words of the task, and what it is called in lists. */
export const kindWords: Readonly<Record<Kind, { name: string; task: string }>> = {
  http: { name: 'HTTP', task: 'A website or an API answers (HTTP)' },
  tcp: { name: 'TCP', task: 'A port is open (TCP)' },
  tls: { name: 'TLS', task: 'A certificate is valid (TLS, also mail and databases)' },
  dns: { name: 'DNS', task: 'A name resolves (DNS)' },
  ping: { name: 'Ping', task: 'A host replies (ping)' },
  grpc: { name: 'gRPC', task: 'A gRPC service is serving (its health check)' },
  websocket: { name: 'WebSocket', task: 'A WebSocket opens, and messages come' },
  heartbeat: { name: 'Heartbeat', task: 'A job reports in time (cron jobs, backups)' },
  domain: { name: 'Domain', task: 'A domain is registered and has not expired' },
  events: { name: 'Events', task: 'Users do what they usually do (stored events)' },
  multistep: { name: 'Steps', task: 'Several requests in order, such as a login and an order (multistep)' },
};

const common: readonly AssertionType[] = ['latency', 'latency_p95'];

/** The assertions that each kind takes, in the order they are offered. */
export const assertionsOfKind: Readonly<Record<Kind, readonly AssertionType[]>> = {
  http: ['status', 'body_contains', 'header', 'json_path', 'http_version', 'tls_version', ...common],
  tcp: ['body_contains', ...common],
  tls: ['tls_version', ...common],
  dns: ['dns_rcode', 'dns_record', 'dns_agree', 'dns_changed', ...common],
  ping: ['packet_loss', 'jitter', ...common],
  grpc: ['grpc_status', 'tls_version', ...common],
  websocket: ['body_contains', 'json_path', 'header', 'tls_version', ...common],
  heartbeat: ['run_seconds'],
  domain: [],
  events: ['measured'],
  multistep: common,
};

/** What counts as up without any assertion. */
export const okWithoutAssertions: Readonly<Record<Kind, string>> = {
  http: 'Without assertions, any 2xx status counts as up.',
  tcp: 'Without assertions, a connection counts as up, or an answer if one is read.',
  tls: 'Without assertions, a handshake with a valid certificate counts as up.',
  dns: 'Without assertions, at least one record of the type counts as up.',
  ping: 'Without assertions, at least one reply counts as up.',
  grpc: 'Without assertions on it, the status SERVING counts as up.',
  multistep: 'These are about the time of all steps together; what answers must be stands at each step.',
  websocket: 'Without assertions, a handshake counts as up, or a message if one is read.',
  heartbeat: 'Without assertions, any success in time counts as up.',
  events: 'Add the condition that holds when all is well: the value is at least, or at most, so much.',
  domain: 'A domain that its registry knows and that has not expired counts as up.',
};
