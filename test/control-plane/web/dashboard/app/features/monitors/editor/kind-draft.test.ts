import test from 'ava';
import { monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import { settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { dnsFieldAtFault } from '#control-plane/web/dashboard/app/features/monitors/editor/kind-draft.ts';
import {
  draftOf,
  emptyDraft,
  settingsOf,
} from '#control-plane/web/dashboard/app/features/monitors/editor/monitor-draft.ts';
import type { MonitorPost } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { sampleMonitor } from '../../../samples.ts';

const cases: readonly [changes: Parameters<typeof sampleMonitor>[0], body: Partial<MonitorPost>][] = [
  [
    { kind: 'tcp', url: 'tcp://db.example:5432', tcp: { send: 'hi', read: true } },
    { kind: 'tcp', url: 'tcp://db.example:5432', tcp: { send: 'hi', read: true } },
  ],
  [
    { kind: 'tls', url: 'tls://[2001:db8::1]:465', tls: { starttls: null } },
    { kind: 'tls', url: 'tls://[2001:db8::1]:465', tls: { starttls: null } },
  ],
  [
    { kind: 'ping', url: 'ping://host.example', ping: { count: 5 } },
    { kind: 'ping', url: 'ping://host.example', ping: { count: 5 } },
  ],
  [
    { kind: 'dns', url: 'dns:///example.com', dns: { transport: 'udp', recursion: true, agree_with: [] } },
    {
      kind: 'dns',
      url: 'dns:///example.com?type=A',
      dns: { transport: 'udp', recursion: true, agree_with: [] },
    },
  ],
  [
    {
      kind: 'dns',
      url: 'dns://[2001:db8::53]:53/_sip.example.com?type=srv',
      dns: { transport: 'tcp', recursion: false, agree_with: ['1.1.1.1', 'ns.example'] },
    },
    {
      kind: 'dns',
      url: 'dns://[2001:db8::53]:53/_sip.example.com?type=SRV',
      dns: { transport: 'tcp', recursion: false, agree_with: ['1.1.1.1', 'ns.example'] },
    },
  ],
  [
    {
      kind: 'websocket',
      url: 'ws://live.example:8080/feed',
      headers: { Cookie: 'a=b' },
      websocket: { subprotocols: ['v2', 'v1'], send: '{}', read: true },
    },
    {
      kind: 'websocket',
      url: 'ws://live.example:8080/feed',
      headers: { Cookie: 'a=b' },
      websocket: { subprotocols: ['v2', 'v1'], send: '{}', read: true },
    },
  ],
  [
    { kind: 'grpc', url: 'grpc://a.example:50051', grpc: { service: 'a.B', metadata: { authorization: 'x' } } },
    { kind: 'grpc', url: 'grpc://a.example:50051', grpc: { service: 'a.B', metadata: { authorization: 'x' } } },
  ],
];
for (const [changes, body] of cases)
  test(`a monitor comes back from its form as it was: ${changes?.url}`, t => {
    const settings = settingsOf(draftOf(sampleMonitor(changes)));
    t.like(settings, body);
    for (const name of ['method', 'body', 'follow_redirects']) t.false(name in settings, name);
    t.is('headers' in settings, changes?.kind === 'websocket');
    const parsed = monitorPostSchema.parse(settings);
    t.deepEqual(settingsErrors(parsed), [], 'the API takes it');
  });

test('a form that changes its kind sends what that kind takes alone', t => {
  const draft = { ...emptyDraft, name: 'm', url: 'https://a.example', headers: [['a', 'b']] as const };
  const settings = settingsOf({ ...draft, kind: 'ping', address: ' a.example ' });
  t.like(settings, { kind: 'ping', url: 'ping://a.example', ping: { count: 3 } });
  t.false('headers' in settings);
  t.is(settings.alert_rules?.certificate, null as never);
});

test('what is no number goes as it was typed, so that the API names its field', t => {
  const settings = settingsOf({ ...emptyDraft, kind: 'ping', address: 'a.example', count: 'many' });
  t.deepEqual(settings.ping, { count: 'many' } as never);
});

for (const [changes, url] of [
  [{ kind: 'tcp', address: ' tcp://db.example:5432' }, 'tcp://db.example:5432'],
  [{ kind: 'tls', address: 'TLS://mail.example:993' }, 'TLS://mail.example:993'],
  [{ kind: 'ping', address: 'ping://host.example' }, 'ping://host.example'],
  [{ kind: 'websocket', address: ' ws://a.example/live ' }, 'ws://a.example/live'],
  [{ kind: 'grpc', address: 'a.example:443' }, 'grpcs://a.example:443'],
  [{ kind: 'websocket', address: 'a.example/live' }, 'wss://a.example/live'],
  [{ kind: 'dns', dnsName: 'dns://9.9.9.9/a.example?type=MX' }, 'dns://9.9.9.9/a.example?type=MX'],
  [{ kind: 'dns', dnsName: 'a.example', dnsServer: 'dns://9.9.9.9' }, 'dns://9.9.9.9/a.example?type=A'],
] as const)
  test(`a whole URL may be pasted: ${JSON.stringify(changes)}`, t => {
    t.is(settingsOf({ ...emptyDraft, ...changes }).url, url);
  });

test('a URL of a DNS query that is refused is a fault of the field that made it so', t => {
  const rows = [
    ['example.com', '', null],
    ['example.com', '9.9.9.9:53', null],
    ['_sip._tcp.example.com.', 'ns.example', null],
    ['münchen.example', '', null],
    ['example..com', '', 'dnsName'],
    ['', '9.9.9.9', 'dnsName'],
    ['exa mple.com', 'ns.example', 'dnsName'],
    ['https://example.com/', '', 'dnsName'],
    ['example.com', '300.1.1.1', 'dnsServer'],
    ['example.com', 'ns.example:99999', 'dnsServer'],
    ['example.com', '2001:db8::53', 'dnsServer'],
    ['example.com', 'https://ns.example/', 'dnsServer'],
    ['.', 'a b', 'dnsServer'],
  ] as const;
  for (const [dnsName, dnsServer, field] of rows) {
    const draft = { ...emptyDraft, kind: 'dns', name: 'm', regions: ['a'], dnsName, dnsServer } as const;
    const { error } = monitorPostSchema.safeParse(settingsOf(draft));
    t.deepEqual(
      error?.issues.map(({ path }) => path.join('/')) ?? [],
      field === null ? [] : ['url'],
      dnsName + dnsServer,
    );
    if (field !== null) t.is(dnsFieldAtFault(draft), field, `${dnsName} ${dnsServer}`);
  }
});
