import type { CheckErrorCode, FailureSource } from '#shared/check-result.ts';

/** Where in a request it failed. */
export type Phase = 'dns' | 'connect' | 'tls' | 'exchange';

/** What is known of the agent's own network when something failed. */
export type ProbeHealth = Readonly<{
  /** An address and a default route of the family that was tried. */
  hasRoute: boolean;
  /** Several hosts at once are out of reach and none has answered since. */
  isCut: boolean;
  /** The resolver has answered something lately. */
  resolverAnswers: boolean;
}>;

export type Failure = Readonly<{ code: CheckErrorCode; source: FailureSource; message: string }>;

type Row = readonly [code: CheckErrorCode, source: FailureSource | 'network' | 'resolver-or-probe', message: string];

const ownLimits: Record<string, Row> = {
  EMFILE: ['connect_refused', 'probe', 'the agent is out of descriptors'],
  ENFILE: ['connect_refused', 'probe', 'the agent’s host is out of descriptors'],
  ENOBUFS: ['connect_refused', 'probe', 'the agent’s host is out of buffers'],
  ENOMEM: ['connect_refused', 'probe', 'the agent’s host is out of memory'],
  EADDRNOTAVAIL: ['connect_refused', 'probe', 'the agent is out of local ports'],
  EADDRINUSE: ['connect_refused', 'probe', 'the agent is out of local ports'],
  EACCES: ['connect_refused', 'probe', 'the agent’s host forbids the connection'],
  EPERM: ['connect_refused', 'probe', 'the agent’s host forbids the connection'],
  EAFNOSUPPORT: ['connect_refused', 'probe', 'the agent’s host lacks this address family'],
  ENETDOWN: ['connect_refused', 'probe', 'the agent’s network is down'],
};

const network: Record<string, Row> = {
  ENETUNREACH: ['connect_refused', 'network', 'network unreachable'],
  EHOSTUNREACH: ['connect_refused', 'network', 'host unreachable'],
  EHOSTDOWN: ['connect_refused', 'network', 'host down'],
  ETIMEDOUT: ['connect_timeout', 'network', 'no answer to the connection attempt'],
  ECONNREFUSED: ['connect_refused', 'target', 'connection refused'],
  ECONNRESET: ['connection_reset', 'target', 'connection reset by the target'],
  ECONNABORTED: ['connection_reset', 'target', 'connection aborted'],
  EPIPE: ['connection_reset', 'target', 'connection closed by the target'],
};

// NXDOMAIN and "no such record" are answers about the target; the rest tells of the resolver or of the way to it.
const dns: Record<string, Row> = {
  ENOTFOUND: ['dns_failure', 'target', 'the name does not exist'],
  ENODATA: ['dns_failure', 'target', 'the name has no address'],
  EBADNAME: ['dns_failure', 'target', 'the name is not valid'],
  ESERVFAIL: ['dns_failure', 'resolver', 'the resolver failed (SERVFAIL)'],
  EREFUSED: ['dns_failure', 'resolver', 'the resolver refused to answer'],
  ENOTIMP: ['dns_failure', 'resolver', 'the resolver does not support the query'],
  EFORMERR: ['dns_failure', 'resolver', 'the resolver did not understand the query'],
  EBADRESP: ['dns_failure', 'resolver', 'the resolver’s answer was malformed'],
  ETIMEOUT: ['dns_failure', 'resolver-or-probe', 'the resolver did not answer in time'],
  ECONNREFUSED: ['dns_failure', 'probe', 'no resolver is reachable'],
};

/** Names a failure for the result and says whose fault it is. Messages never carry anything of the request. */
export function classifyFailure(phase: Phase, code: string, health: ProbeHealth): Failure {
  const row = rowOf(phase, code);
  return { code: row[0], source: sourceOf(row[1], health), message: row[2] };
}

function rowOf(phase: Phase, code: string): Row {
  const own = ownLimits[code];
  if (own !== undefined) return own;
  if (phase === 'dns') return dns[code] ?? ['dns_failure', 'resolver', `the resolver failed (${shorten(code)})`];
  const known = network[code];
  if (known !== undefined) return known;
  if (phase === 'tls' || isTls(code)) return ['tls_error', 'target', `TLS failed: ${words(code)}`];
  if (code === 'HPE_HEADER_OVERFLOW') return ['protocol_error', 'target', 'the answer’s headers are too large'];
  if (phase === 'exchange') return ['protocol_error', 'target', `the answer is not valid HTTP (${shorten(code)})`];
  return ['connect_refused', 'target', `connection failed (${shorten(code)})`];
}

function isTls(code: string): boolean {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.startsWith('CERT_');
}

function sourceOf(source: Row[1], health: ProbeHealth): FailureSource {
  if (source === 'network') return health.hasRoute && !health.isCut ? 'target' : 'probe';
  if (source === 'resolver-or-probe') return health.resolverAnswers ? 'resolver' : 'probe';
  return source;
}

const certificateWords: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate’s authority is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate’s authority is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate’s authority is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate’s authority is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
};

function words(code: string): string {
  return (
    certificateWords[code] ??
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
