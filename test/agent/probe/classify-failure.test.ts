import test from 'ava';
import fc from 'fast-check';
import { classifyFailure, type Phase, type ProbeHealth } from '#agent/probe/classify-failure.ts';
import { errorCodes, failureSources } from '#shared/check-result.ts';

const healthy: ProbeHealth = { hasRoute: true, isLocalOutage: false, servers: 'failing' };
const rows: [phase: Phase, code: string, health: Partial<ProbeHealth>, expected: string][] = [
  ['connect', 'ECONNREFUSED', {}, 'connect_refused target'],
  ['connect', 'ECONNREFUSED', { hasRoute: false, isLocalOutage: true }, 'connect_refused target'],
  ['connect', 'ETIMEDOUT', {}, 'connect_timeout target'],
  ['connect', 'ETIMEDOUT', { isLocalOutage: true }, 'connect_timeout probe'],
  ['connect', 'EHOSTUNREACH', {}, 'connect_refused target'],
  ['connect', 'EHOSTUNREACH', { isLocalOutage: true }, 'connect_refused probe'],
  ['connect', 'ENETUNREACH', { hasRoute: false }, 'connect_refused probe'],
  ['connect', 'ENETDOWN', {}, 'connect_refused probe'],
  ['connect', 'EMFILE', {}, 'connect_refused probe'],
  ['connect', 'ENFILE', {}, 'connect_refused probe'],
  ['connect', 'EADDRNOTAVAIL', {}, 'connect_refused probe'],
  ['connect', 'ECONNRESET', {}, 'connection_reset target'],
  ['tls', 'ECONNRESET', {}, 'connection_reset target'],
  ['tls', 'CERT_HAS_EXPIRED', {}, 'tls_error target'],
  ['tls', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', {}, 'tls_error target'],
  ['tls', 'SOMETHING_NEW', {}, 'tls_error target'],
  ['exchange', 'HPE_INVALID_CONSTANT', {}, 'protocol_error target'],
  ['exchange', 'EPIPE', {}, 'connection_reset target'],
  ['exchange', 'Z_DATA_ERROR', {}, 'protocol_error target'],
  ['dns', 'ENOTFOUND', {}, 'dns_failure target'],
  ['dns', 'ENODATA', {}, 'dns_failure target'],
  ['dns', 'ESERVFAIL', {}, 'dns_failure resolver'],
  ['dns', 'EREFUSED', {}, 'dns_failure resolver'],
  ['dns', 'ETIMEOUT', {}, 'dns_failure resolver'],
  ['dns', 'ETIMEOUT', { servers: 'silent' }, 'dns_failure probe'],
  ['dns', 'ECONNREFUSED', {}, 'dns_failure probe'],
  ['dns', 'ESERVFAIL', { servers: 'answering' }, 'dns_failure target'],
  ['dns', 'ETIMEOUT', { servers: 'answering' }, 'dns_failure target'],
  ['dns', 'ENOTFOUND', { servers: 'silent', isLocalOutage: true }, 'dns_failure target'],
  ['dns', 'SOMETHING_NEW', {}, 'dns_failure resolver'],
  ['dns', 'EMFILE', {}, 'connect_refused probe'],
  ['connect', 'SOMETHING_NEW', {}, 'connect_refused target'],
  ['connect', 'EACCES', {}, 'connect_refused probe'],
  ['connect', 'ENETUNREACH', {}, 'connect_refused target'],
  ['exchange', 'ECONNRESET', {}, 'connection_reset target'],
  ['exchange', 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', {}, 'tls_error target'],
  ['exchange', 'HPE_HEADER_OVERFLOW', {}, 'protocol_error target'],
  ['exchange', 'SOMETHING_NEW', {}, 'protocol_error target'],
  ['exchange', 'ETIMEDOUT', { isLocalOutage: true }, 'connect_timeout probe'],
];
for (const [phase, code, health, expected] of rows)
  test(`${code} during ${phase} with ${JSON.stringify(health)} is ${expected}`, t => {
    const failure = classifyFailure(phase, code, { ...healthy, ...health });
    t.is(`${failure.code} ${failure.source}`, expected);
    t.true(failure.message.length < 200);
  });

const messages: [phase: Phase, code: string, message: string][] = [
  ['connect', 'ECONNREFUSED', 'connection refused'],
  ['connect', 'EMFILE', 'the agent has run out of file descriptors'],
  ['connect', 'EWEIRD', 'connection failed (EWEIRD)'],
  ['dns', 'ENOTFOUND', 'the name does not exist'],
  ['dns', 'EWEIRD', 'the resolver failed (EWEIRD)'],
  ['tls', 'CERT_HAS_EXPIRED', 'TLS failed: the certificate has expired'],
  ['tls', 'ERR_TLS_CERT_ALTNAME_INVALID', 'TLS failed: the certificate is for a different name'],
  ['tls', 'ERR_SSL_WRONG_VERSION_NUMBER', 'TLS failed: wrong version number'],
  ['tls', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS failed: the certificate is self-signed'],
  ['exchange', 'HPE_HEADER_OVERFLOW', 'the response headers are too large'],
  ['exchange', 'HPE_INVALID_VERSION', 'the response is not valid HTTP (HPE_INVALID_VERSION)'],
];
for (const [phase, code, message] of messages)
  test(`people read of ${code} during ${phase}: ${message}`, t => {
    t.is(classifyFailure(phase, code, healthy).message, message);
  });

test('whatever the code, a failure has a code and a source of the protocol and a short message', t => {
  const phases = fc.constantFrom<Phase>('dns', 'connect', 'tls', 'exchange');
  const health = fc.record({
    hasRoute: fc.boolean(),
    isLocalOutage: fc.boolean(),
    servers: fc.constantFrom('answering' as const, 'failing' as const, 'silent' as const),
  });
  const code = fc.oneof(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,400}$/), fc.constantFrom(...rows.map(row => row[1])));
  fc.assert(
    fc.property(phases, code, health, (phase, failed, state) => {
      const failure = classifyFailure(phase, failed, state);
      t.true(errorCodes.includes(failure.code));
      t.true(failureSources.includes(failure.source));
      t.true(failure.message.length > 0 && failure.message.length <= 120);
    }),
  );
});

test('a healthy agent is never blamed for what a target does', t => {
  for (const phase of ['connect', 'tls', 'exchange'] as const)
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
      t.is(classifyFailure(phase, code, healthy).source, 'target', `${code} during ${phase}`);
});
