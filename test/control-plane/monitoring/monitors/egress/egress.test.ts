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
  ['a proxy', { proxy: { url: 'http://proxy.example:3128' } }, undefined, []],
  [
    'a proxy of SOCKS5 that is signed in at',
    { proxy: { url: 'SOCKS5://[2001:db8::1]:1080', username: 'a:b', password: 'c' } },
    'tcp://a.example:25',
    [],
  ],
  ['a proxy without a port', { proxy: { url: 'http://proxy.example' } }, undefined, ['/egress/proxy/url format']],
  ['a proxy with a path', { proxy: { url: 'http://proxy.example:80/' } }, undefined, ['/egress/proxy/url format']],
  ['a proxy over TLS', { proxy: { url: 'https://proxy.example:443' } }, undefined, ['/egress/proxy/url format']],
  [
    'credentials in its URL',
    { proxy: { url: 'http://a:b@proxy.example:80' } },
    undefined,
    ['/egress/proxy/url format'],
  ],
  [
    'a colon in the name for HTTP',
    { proxy: { url: 'http://proxy.example:80', username: 'a:b' } },
    undefined,
    ['/egress/proxy/username format'],
  ],
  [
    'a password of 256 bytes',
    { proxy: { url: 'http://proxy.example:80', password: 'ä'.repeat(128) } },
    undefined,
    ['/egress/proxy/password too_long'],
  ],
  [
    'a proxy for a ping',
    { proxy: { url: 'http://proxy.example:80' } },
    'ping://a.example',
    ['/egress/proxy not_allowed'],
  ],
  ['each address', { addresses: 'each' }, undefined, []],
  ['each address of a port', { addresses: 'each' }, 'tcp://a.example:25', []],
  ['each address of a ping', { addresses: 'each' }, 'ping://a.example', ['/egress/addresses not_allowed']],
  [
    'each address through a proxy',
    { addresses: 'each', proxy: { url: 'http://proxy.example:3128' } },
    undefined,
    ['/egress/addresses not_allowed'],
  ],
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
  t.deepEqual(neededOf(settingsOf({ proxy: { url: 'http://p.example:80' } })), ['egress.1', 'egress.proxy']);
  t.is(wireEgressOf(settingsOf({ addresses: 'first' }).egress ?? null), null);
});

test('several steps take what is not about one host, and need an agent that can do it', t => {
  const step = { name: 'a', url: 'https://a.example/' };
  const errors = (egress: unknown) => {
    const { url: _, ...body } = bodyOf(egress);
    const parsed = monitorPostSchema.parse({ ...body, kind: 'multistep', multistep: { steps: [step] } });
    const needs = neededOf(withKind(parsed));
    return [settingsErrors(parsed).map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : '')), needs];
  };
  const whole = { verify: false, ca: authority, client_certificate: { certificate, private_key } };
  t.deepEqual(errors(whole), [[], ['egress.1', 'egress.steps', 'multistep']]);
  t.deepEqual(errors({ proxy: { url: 'http://p.example:1' } })[1], [
    'egress.1',
    'egress.proxy',
    'egress.steps',
    'multistep',
  ]);
  t.deepEqual(errors({ server_name: 'b.example' })[0], ['/egress/server_name not_allowed']);
  t.deepEqual(errors({ addresses: 'each' })[0], ['/egress/addresses not_allowed']);
  t.deepEqual(errors({})[1], ['multistep']);
});

test('each address needs agents that reach it, and alone allows to assert how many answer', t => {
  const of = (egress: unknown, url?: string) =>
    monitorPostSchema.parse({ ...bodyOf(egress, url), assertions: [{ type: 'addresses', operator: 'all' }] });
  const each = { addresses: 'each' };
  t.deepEqual(neededOf(withKind(of(each))), ['assert.2', 'egress.1', 'egress.each']);
  t.deepEqual(wireEgressOf(settingsOf(each).egress ?? null), each);
  t.deepEqual(settingsErrors(of(each, 'grpc://a.example:50051')), []);
  for (const parsed of [of(null), of(each, 'dns:///a.example')])
    t.true(settingsErrors(parsed).some(error => 'pointer' in error && error.pointer === '/assertions/0/type'));
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

test('agents get the URL of a proxy taken apart', t => {
  const proxy = { url: 'socks5://[2001:DB8::1]:1080', username: 'me', password: null };
  t.deepEqual(wireEgressOf(settingsOf({ proxy }).egress ?? null)?.proxy, {
    protocol: 'socks5',
    host: '2001:DB8::1',
    port: 1080,
    username: 'me',
    password: null,
  });
});

test('another family or proxy drops the votes; all else only makes a new version', t => {
  const usual = settingsOf(null);
  t.like(compareSettings(usual, settingsOf({ ip_family: 'ipv4' })), { newVersion: true, dropsVotes: true });
  t.like(compareSettings(usual, settingsOf({ verify: false })), { newVersion: true, dropsVotes: false });
  const proxied = settingsOf({ proxy: { url: 'http://p.example:80' } });
  t.like(compareSettings(usual, proxied), { newVersion: true, dropsVotes: true });
  t.like(compareSettings(proxied, settingsOf({ proxy: { url: 'http://p.example:81' } })), { dropsVotes: true });
});
