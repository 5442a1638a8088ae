import type { CheckErrorCode } from '../check-result.ts';

/** What an error code means, for members of the project: it may name proxies, registries and the like. */
const words = {
  dns_failure: 'the name could not be resolved',
  connect_refused: 'the connection was refused',
  connect_timeout: 'the connection timed out',
  connection_reset: 'the connection was closed early',
  tls_error: 'the TLS handshake failed',
  timeout: 'no answer came in time',
  too_many_redirects: 'there were too many redirects',
  body_too_large: 'the answer was too large',
  blocked_address: 'agents may not reach this address',
  protocol_error: 'the answer was not valid',
  no_record: 'the name server gave no such record',
  no_reply: 'no reply came',
  starttls_refused: 'STARTTLS was refused',
  not_serving: 'the service said that it is not serving',
  heartbeat_missed: 'an expected signal did not come',
  heartbeat_failed: 'the job reported a failure',
  run_too_long: 'the job ran too long',
  extract_failed: 'the answer lacked an expected value',
  proxy_failed: 'the proxy failed',
  auth_failed: 'signing in failed',
  not_registered: 'the domain is not registered',
  domain_expired: 'the domain has expired',
  lookup_failed: 'the registry could not be asked',
} as const satisfies Record<CheckErrorCode, string>;
const known: ReadonlyMap<string, string> = new Map(Object.entries(words));

/** An error code, or `assertion:` and a type, in words; of a newer agent's code its own. */
export function describeFailure(code: string): string {
  const [, type] = /^assertion:(.*)$/.exec(code) ?? [];
  if (type !== undefined) return `the assertion on ${type.replaceAll('_', ' ')} failed`;
  return known.get(code) ?? code.replaceAll('_', ' ');
}
