import type { CheckErrorCode, FailureSource } from '#shared/check-result.ts';
import type { ServerState } from '#shared/network/resolver.ts';

/** The phase of a request in which it failed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'exchange';

/** The state of the agent's own network at the time of a failure. */
export type ProbeHealth = Readonly<{
  /** The host has an address and a default route of the address family in question. */
  hasRoute: boolean;
  /** Several hosts are unreachable at once and none has answered since. */
  isLocalOutage: boolean;
  /** What the name servers do meanwhile; of no concern after a failure of another kind. */
  servers: ServerState;
}>;

/** A failure as a result reports it: an error code, whose fault it is, and a sentence for people. */
export type Failure = Readonly<{ code: CheckErrorCode; source: FailureSource; message: string }>;

type Row = readonly [code: CheckErrorCode, source: FailureSource | 'network' | 'name', message: string];

const agentLimits: Record<string, Row> = {
  EMFILE: ['connect_refused', 'probe', 'the agent has run out of file descriptors'],
  ENFILE: ['connect_refused', 'probe', 'the agent’s host has run out of file descriptors'],
  ENOBUFS: ['connect_refused', 'probe', 'the agent’s host has run out of network buffers'],
  ENOMEM: ['connect_refused', 'probe', 'the agent’s host has run out of memory'],
  EADDRNOTAVAIL: ['connect_refused', 'probe', 'no local port or address of the agent is left for a connection'],
  EADDRINUSE: ['connect_refused', 'probe', 'the agent has run out of local ports'],
  EACCES: ['connect_refused', 'probe', 'the agent’s host does not permit the connection'],
  EPERM: ['connect_refused', 'probe', 'the agent’s host does not permit the connection'],
  EAFNOSUPPORT: ['connect_refused', 'probe', 'the agent’s host does not support this address family'],
  ENETDOWN: ['connect_refused', 'probe', 'the agent’s network is down'],
};

const network: Record<string, Row> = {
  ENETUNREACH: ['connect_refused', 'network', 'network unreachable'],
  EHOSTUNREACH: ['connect_refused', 'network', 'host unreachable'],
  EHOSTDOWN: ['connect_refused', 'network', 'host down'],
  ETIMEDOUT: ['connect_timeout', 'network', 'the connection attempt was not answered'],
  ECONNREFUSED: ['connect_refused', 'target', 'connection refused'],
  ECONNRESET: ['connection_reset', 'target', 'connection reset by the target'],
  ECONNABORTED: ['connection_reset', 'target', 'connection aborted'],
  EPIPE: ['connection_reset', 'target', 'connection closed by the target'],
};

// NXDOMAIN and "no such record" are about the target; everything else as well if the resolver answers for other names.
const dns: Record<string, Row> = {
  ENOTFOUND: ['dns_failure', 'target', 'the name does not exist'],
  ENODATA: ['dns_failure', 'target', 'the name has no address'],
  EBADNAME: ['dns_failure', 'target', 'the name is invalid'],
  ESERVFAIL: ['dns_failure', 'name', 'the resolver failed (SERVFAIL)'],
  EREFUSED: ['dns_failure', 'name', 'the resolver refused the query'],
  ENOTIMP: ['dns_failure', 'name', 'the resolver does not support the query'],
  EFORMERR: ['dns_failure', 'name', 'the resolver did not understand the query'],
  EBADRESP: ['dns_failure', 'name', 'the resolver sent a malformed response'],
  ETIMEOUT: ['dns_failure', 'name', 'the resolver did not answer in time'],
  ECONNREFUSED: ['dns_failure', 'probe', 'no resolver is reachable'],
};

/**
 * Gives a failure its error code, its source (target, resolver or probe) and a sentence. `code` is that of Node, the
 * system or OpenSSL. The sentence never contains anything from the request or the response.
 */
export function classifyFailure(phase: Phase, code: string, health: ProbeHealth): Failure {
  const row = rowOf(phase, code);
  return { code: row[0], source: sourceOf(row[1], health), message: row[2] };
}

function rowOf(phase: Phase, code: string): Row {
  const limit = agentLimits[code];
  if (limit !== undefined) return limit;
  if (phase === 'dns') return dns[code] ?? ['dns_failure', 'name', `the resolver failed (${shorten(code)})`];
  const networkRow = network[code];
  if (networkRow !== undefined) return networkRow;
  if (phase === 'tls' || isTls(code)) return ['tls_error', 'target', `TLS failed: ${describeTls(code)}`];
  if (code === 'HPE_HEADER_OVERFLOW') return ['protocol_error', 'target', 'the response headers are too large'];
  if (phase === 'exchange') return ['protocol_error', 'target', `the response is not valid HTTP (${shorten(code)})`];
  return ['connect_refused', 'target', `connection failed (${shorten(code)})`];
}

function isTls(code: string): boolean {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.startsWith('CERT_');
}

const sourceByServers = { answering: 'target', failing: 'resolver', silent: 'probe' } as const;

function sourceOf(source: Row[1], health: ProbeHealth): FailureSource {
  if (source === 'network') return health.hasRoute && !health.isLocalOutage ? 'target' : 'probe';
  if (source === 'name') return sourceByServers[health.servers];
  return source;
}

const certificateMessages: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate’s authority is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate’s authority is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate’s authority is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate’s authority is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for a different name',
  ENOALTNAME: 'the certificate names its host only as common name, which browsers do not accept',
};

function describeTls(code: string): string {
  return (
    certificateMessages[code] ??
    shorten(
      code
        .replace(/^ERR_SSL_|^ERR_TLS_/, '')
        .replaceAll('_', ' ')
        .toLowerCase(),
    )
  );
}

function shorten(code: string): string {
  return code.slice(0, 80);
}
