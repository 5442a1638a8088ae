import test from 'ava';
import {
  describeEnd,
  earliestCertificate,
  seesCertificates,
} from '#control-plane/web/dashboard/app/features/monitors/certificates.ts';
import { waterfall } from '#control-plane/web/dashboard/app/features/monitors/checks/waterfall.ts';
import type { CheckResult } from '#control-plane/web/dashboard/app/session/api-types.ts';

const check = (region: string, valid_to: string | null) =>
  ({ region, tls: valid_to === null ? null : { valid_to } }) as unknown as CheckResult;

test('of the certificates that regions saw last, the one that ends first counts', t => {
  const checks = [
    check('eu', '2027-01-10T00:00:00Z'),
    check('us', null),
    check('us', '2027-01-05T00:00:00Z'),
    check('eu', '2026-12-01T00:00:00Z'),
  ];
  t.is(earliestCertificate(checks)?.valid_to, '2027-01-05T00:00:00Z');
  t.is(earliestCertificate([check('eu', null)]), null);
});

test('an end is told in days', t => {
  const nowMs = Date.parse('2027-01-01T00:00:00Z');
  const say = (valid_to: string) => describeEnd({ valid_to }, nowMs);
  t.is(say('2027-01-05T12:00:00Z'), 'ends in 4 days');
  t.is(say('2027-01-02T00:00:01Z'), 'ends in 1 day');
  t.is(say('2027-01-01T05:00:00Z'), 'ends in less than a day');
  t.is(say('2026-12-30T00:00:00Z'), 'ended 2 days ago');
});

test('the phases of a check follow each other', t => {
  t.deepEqual(waterfall({ dns_ms: null, connect_ms: 10, first_byte_ms: 30 }), [
    { name: 'connect', ms: 10, left: 0, width: 0.25 },
    { name: 'first byte', ms: 30, left: 0.25, width: 0.75 },
  ]);
  t.deepEqual(waterfall(null), []);
  t.deepEqual(waterfall({ connect_ms: 0 }), [{ name: 'connect', ms: 0, left: 0, width: 0 }]);
});

for (const [kind, url, expected] of [
  ['http', 'https://example.com/', true],
  ['http', 'HTTPS://example.com/', true],
  ['http', 'http://example.com/', false],
  ['tls', 'tls://mail.example.com:587', true],
  ['websocket', 'wss://example.com/feed', true],
  ['websocket', 'ws://example.com/feed', false],
  ['grpc', 'grpcs://example.com:443', true],
  ['grpc', 'grpc://example.com:50051', false],
  ['multistep', 'http://example.com/', true],
  ['heartbeat', 'https://example.com/hb/secret', false],
  ['domain', 'domain://example.com', false],
  ['tcp', 'tcp://example.com:443', false],
] as const)
  test(`a certificate of ${kind} ${url} ${expected ? 'is' : 'is not'} looked for`, t => {
    t.is(seesCertificates({ kind, url }), expected);
  });
