import test from 'ava';
import { classifyFailure, type Phase, type ProbeHealth } from '#agent/classify-failure.ts';
import { NetworkHealth } from '#agent/network-health.ts';

const well: ProbeHealth = { hasRoute: true, isCut: false, resolverAnswers: true };
const rows: [phase: Phase, code: string, health: Partial<ProbeHealth>, expected: string][] = [
  ['connect', 'ECONNREFUSED', {}, 'connect_refused target'],
  ['connect', 'ECONNREFUSED', { hasRoute: false, isCut: true }, 'connect_refused target'],
  ['connect', 'ETIMEDOUT', {}, 'connect_timeout target'],
  ['connect', 'ETIMEDOUT', { isCut: true }, 'connect_timeout probe'],
  ['connect', 'EHOSTUNREACH', {}, 'connect_refused target'],
  ['connect', 'EHOSTUNREACH', { isCut: true }, 'connect_refused probe'],
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
  ['dns', 'ETIMEOUT', { resolverAnswers: false }, 'dns_failure probe'],
  ['dns', 'ECONNREFUSED', {}, 'dns_failure probe'],
];
for (const [phase, code, health, expected] of rows)
  test(`${code} during ${phase} with ${JSON.stringify(health)} is ${expected}`, t => {
    const failure = classifyFailure(phase, code, { ...well, ...health });
    t.is(`${failure.code} ${failure.source}`, expected);
    t.true(failure.message.length < 200);
  });

test('three hosts out of reach and none heard is a cut of the agent’s own network, until one is heard', t => {
  const health = new NetworkHealth();
  for (const host of ['a', 'b', 'b']) health.noteUnreachable(host);
  t.false(health.isCut());
  health.noteUnreachable('c');
  t.true(health.isCut());
  health.noteReached();
  t.false(health.isCut());
});

test('silence of many targets is a cut only when the control plane is silent too', t => {
  let silent = false;
  const health = new NetworkHealth(() => silent);
  for (const host of ['a', 'b', 'c', 'd', 'e', 'f']) health.noteSilent(host);
  t.false(health.isCut());
  silent = true;
  t.true(health.isCut());
});
