import test from 'ava';
import fc from 'fast-check';
import { oauth2Schema } from '#control-plane/monitoring/monitors/auth/oauth2.ts';
import { egressSchema } from '#control-plane/monitoring/monitors/egress/egress.ts';
import { targetOf } from '#control-plane/monitoring/monitors/kinds/target.ts';
import { allowsHost, hostOf, hostsSchema } from '#control-plane/monitoring/monitors/secrets/host-patterns.ts';
import { referenceErrors } from '#control-plane/monitoring/monitors/secrets/reference-errors.ts';

for (const [url, host] of [
  ['https://ours.example@evil.example/', 'evil.example'],
  ['https://ours.example:443@evil.example/', 'evil.example'],
  ['https://evil.example/@ours.example', 'evil.example'],
  ['https://evil.example?.ours.example', 'evil.example'],
  ['https://evil.example#.ours.example', 'evil.example'],
  ['HTTPS://OURS.example.:443/', 'ours.example'],
  ['wss://ours.example/socket', 'ours.example'],
  ['grpcs://ours.example:443', 'ours.example'],
  ['socks5://ours.example:1080', 'ours.example'],
  ['tcp://[2001:DB8:0::1]:80', '2001:db8::1'],
  ['tcp://[::ffff:127.0.0.1]:80', '::ffff:7f00:1'],
  ['http://0x7f.1/', '127.0.0.1'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://ours。example/', 'ours.example'],
  ['tcp://a%2fb.example:1', null],
  ['heartbeat', null],
  ['', null],
] as const)
  test(`the host of ${url || 'nothing'}`, t => {
    t.is(hostOf(url), host);
  });

for (const [pattern, host, isAllowed] of [
  ['ours.example', 'ours.example', true],
  ['ours.example', 'a.ours.example', false],
  ['ours.example', 'ours.example.evil.example', false],
  ['*.ours.example', 'a.b.ours.example', true],
  ['*.ours.example', 'ours.example', false],
  ['*.ours.example', 'evil-ours.example', false],
  ['*.ours.example', '.ours.example', false],
  ['*.Bücher.example.', 'a.xn--bcher-kva.example', true],
  ['[2001:DB8::0:1]', '2001:db8::1', true],
  ['::FFFF:127.0.0.1', '::ffff:7f00:1', true],
  ['127.0.0.1', '::ffff:7f00:1', false],
  ['ours.example', null, false],
] as const)
  test(`${pattern} ${isAllowed ? 'allows' : 'does not allow'} ${host}`, t => {
    const hosts = hostsSchema.parse([pattern]);
    t.is(allowsHost(hosts, host), isAllowed);
  });

for (const pattern of [
  'a@ours.example',
  'ours.example:80',
  '*',
  '*.',
  'ours..example',
  '*.*.example',
  '[::1]:80',
  '::1%eth0',
])
  test(`no pattern of hosts: ${pattern}`, t => {
    t.false(hostsSchema.safeParse([pattern]).success);
  });

test('a host is read as the kind reads it', t => {
  const part = fc.constantFrom(
    'ours.example',
    'evil.example',
    '@',
    ':',
    '%40',
    '%2f',
    '。',
    '[::1]',
    'ü',
    '.',
    '\\',
    '{{a}}',
    '1',
    '0x7f',
  );
  fc.assert(
    fc.property(
      fc.constantFrom('tcp', 'grpc', 'grpcs', 'tls', 'socks5'),
      fc.array(part, { maxLength: 5 }),
      (scheme, parts) => {
        const url = `${scheme}://${parts.join('')}:443`;
        const target = targetOf(url);
        if (target === null || target.host === '') return;
        const isAllowed = allowsHost(
          [hostOf(`${scheme}://${target.host.includes(':') ? `[${target.host}]` : target.host}:443`) ?? ''],
          hostOf(url),
        );
        t.true(isAllowed, url);
      },
    ),
  );
});

const ours = new Map([['OURS', { id: 'sec_1', value: 'swordfish', hosts: ['*.ours.example'] }]]);
const proxy = { url: 'http://proxy.evil.example:3128', username: null, password: null };
const egress = { ...egressSchema.parse({}), proxy };
const headers = { A: '{{secret.OURS}}' };
const clientAt = (token_url: string) =>
  oauth2Schema.parse({ type: 'oauth2', token_url, client_id: 'a', client_secret: '{{secret.OURS}}' });

for (const [title, settings, pointers] of [
  ['http', { url: 'http://a.ours.example/', headers }, ['/headers/A']],
  ['https', { url: 'https://a.ours.example/', headers }, []],
  [
    'https without verification',
    { url: 'https://a.ours.example/', headers, egress: { verify: false } },
    ['/headers/A'],
  ],
  [
    'https of an authority of its own',
    { url: 'https://a.ours.example/', headers, egress: { ca: 'x' } },
    ['/headers/A'],
  ],
  [
    'https of another name',
    { url: 'https://a.ours.example/', headers, egress: { server_name: 'evil.example' } },
    ['/headers/A'],
  ],
  ['tcp', { url: 'tcp://a.ours.example:1', tcp: { send: '{{secret.OURS}}', read: false } }, ['/tcp/send']],
  [
    'a token endpoint by http',
    { url: 'http://a.ours.example/', auth: clientAt('http://id.ours.example/') },
    ['/auth/client_secret'],
  ],
  ['a token endpoint by https', { url: 'http://a.example/', auth: clientAt('https://id.ours.example/') }, []],
  [
    'http through a proxy of ours',
    { url: 'http://a.ours.example/', headers, egress: { proxy: { ...proxy, url: 'http://p.ours.example:1' } } },
    [],
  ],
] as const)
  test(`a foreign proxy gets no secret: ${title}`, t => {
    const given = { ...settings, egress: { ...egress, ...('egress' in settings ? settings.egress : {}) } };
    const errors = referenceErrors(given, ['headers', 'tcp', 'auth'], ours);
    t.deepEqual(
      errors.map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : '')),
      pointers.map(pointer => `${pointer} not_allowed`),
    );
  });
