import test from 'ava';
import { keysOf } from '#control-plane/on-call/alert-groups/keys.ts';

const error = { code: 'timeout', message: 'late' } as const;
const detail = { error, assertions: [], remote_ip: '192.0.2.7', tls: null };

test('alerts of regions may be grouped; those of monitors that no agent checks are alone', t => {
  const failures = [{ region: 'eu', detail }];
  const alert = { kind: 'down', regionsFailing: ['eu'], regions: ['eu', 'us'] };
  t.is(keysOf(alert, 'https://a.example/', failures).length, 3);
  for (const [voter, url] of [
    ['heartbeat', ''],
    ['registry', 'domain://a.example'],
  ] as const)
    for (const kind of ['down', 'domain']) {
      const own = { kind, regionsFailing: [voter], regions: [voter] };
      t.deepEqual(keysOf(own, url, [{ region: voter, detail }]), []);
    }
});

test('alerts about one client certificate share its fingerprint', t => {
  const dates = { valid_from: '2026-01-01T00:00:00Z', valid_to: '2026-04-01T00:00:00Z', issuer: 'i', subject: 's' };
  const facts = { client_certificate: { ...dates, fingerprint_sha256: 'ab' } };
  const alert = { kind: 'certificate', regionsFailing: ['eu'], regions: ['eu'] };
  const keys = keysOf(alert, 'https://a.example/', [{ region: 'eu', detail: { ...detail, facts } }]);
  t.deepEqual(keys, ['["certificate","ab",null]']);
});
