import test from 'ava';
import { wireEgressOf } from '#control-plane/monitoring/monitors/egress/egress.ts';
import { neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { type MonitorSettings, monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { compareSettings, settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { makeCertificate } from '../../../../support/certificate.ts';

const { cert: certificate, key: private_key, authority } = makeCertificate();
const other = makeCertificate();

const bodyOf = (egress: unknown, url = 'https://example.com/') => ({
  name: 'm',
  interval_seconds: 60,
  regions: ['a'],
  url,
  egress,
});
const settingsOf = (egress: unknown, url?: string): MonitorSettings =>
  withKind(monitorPostSchema.parse(bodyOf(egress, url)));

function errorsOf(egress: unknown, url?: string): string[] {
  const parsed = monitorPostSchema.safeParse(bodyOf(egress, url));
  if (!parsed.success)
    return parsed.error.issues.map(issue => {
      const { params = {} } = issue as { params?: { code?: string } };
      return `/${issue.path.join('/')} ${params.code ?? issue.code}`;
    });
  return settingsErrors(parsed.data).map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : ''));
}

const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGj\n-----END ENCRYPTED PRIVATE KEY-----\n';

for (const [title, egress, url, errors] of [
  ['nothing', null, undefined, []],
  ['an empty object', {}, undefined, []],
  ['all of it', { ip_family: 'ipv4', verify: false, server_name: 'a.example', ca: authority }, undefined, []],
  ['a client certificate', { client_certificate: { certificate, private_key } }, undefined, []],
  ['one whose key has it', { client_certificate: { private_key: certificate + private_key } }, undefined, []],
  [
    'a key without a certificate',
    { client_certificate: { private_key } },
    undefined,
    ['/egress/client_certificate/private_key format'],
  ],
  [
    'another key',
    { client_certificate: { certificate, private_key: other.key } },
    undefined,
    ['/egress/client_certificate/private_key format'],
  ],
  [
    'a key with a passphrase',
    { client_certificate: { certificate, private_key: encrypted } },
    undefined,
    ['/egress/client_certificate/private_key format'],
  ],
  [
    'what is no certificate',
    { client_certificate: { certificate: 'x', private_key } },
    undefined,
    ['/egress/client_certificate/certificate format'],
  ],
  ['what is no authority', { ca: private_key }, undefined, ['/egress/ca format']],
  ['21 authorities', { ca: authority.repeat(21) }, undefined, ['/egress/ca format']],
  ['an authority of 65,537 bytes', { ca: authority + '\n'.repeat(65_537) }, undefined, ['/egress/ca too_long']],
  ['a server name with a port', { server_name: 'a.example:443' }, undefined, ['/egress/server_name format']],
  ['each address', { addresses: 'each' }, undefined, ['/egress/addresses not_allowed']],
  ['the family of a ping', { ip_family: 'ipv6' }, 'ping://a.example', []],
  [
    'more of a ping',
    { verify: false, ca: authority },
    'ping://a.example',
    ['/egress/verify not_allowed', '/egress/ca not_allowed'],
  ],
  ['anything of a DNS query', { ip_family: 'ipv4' }, 'dns:///a.example', ['/egress not_allowed']],
] as const)
  test(`egress with ${title}`, t => t.deepEqual(errorsOf(egress, url), errors));

test('a monitor needs an agent that can do it only where something differs from the usual', t => {
  t.deepEqual(neededOf(settingsOf({})), []);
  t.deepEqual(neededOf(settingsOf(null)), []);
  t.deepEqual(neededOf(settingsOf({ verify: false })), ['egress.1']);
  t.is(wireEgressOf(settingsOf({ addresses: 'first' }).egress ?? null), null);
});

test('agents get only what differs, and the certificate out of the text of the key', t => {
  const text = certificate + private_key;
  t.deepEqual(
    wireEgressOf(settingsOf({ ip_family: 'ipv6', client_certificate: { private_key: text } }).egress ?? null),
    {
      ip_family: 'ipv6',
      client_certificate: { certificate: text, private_key: text },
    },
  );
});

test('another family drops the votes; all else only makes a new version', t => {
  const usual = settingsOf(null);
  t.like(compareSettings(usual, settingsOf({ ip_family: 'ipv4' })), { newVersion: true, dropsVotes: true });
  t.like(compareSettings(usual, settingsOf({ verify: false })), { newVersion: true, dropsVotes: false });
});
