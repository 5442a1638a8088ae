import test from 'ava';
import { addressesOf, maskConfig, unmaskConfig } from '#control-plane/on-call/channels/config.ts';
import { completeConfig } from '#control-plane/on-call/channels/configure.ts';
import { type ChannelType, channelTypeNames, channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { channelConfigs, secretMark } from '#test/support/channel-configs.ts';

type Fields = Record<string, unknown>;
const mask = '********';
const configs: Readonly<Record<ChannelType, Fields>> = {
  email: { to: ['ada@example.com', 'ops@example.com'] },
  ...channelConfigs('https://stub.example/'),
};
const parsed = (type: ChannelType, config: Fields): Fields => channelTypes[type].schema.parse(config);
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v']));

const refused: readonly [type: ChannelType, change: Fields, path: string][] = [
  ['email', { to: [] }, 'to'],
  ['email', { to: Array.from({ length: 21 }, (_, index) => `a${index}@example.com`) }, 'to'],
  ['email', { to: ['ada@example.com', 'ADA@example.com'] }, 'to.1'],
  ['email', { to: ['ada'] }, 'to.0'],
  ['email', { to: ['"a b"@example.com'] }, 'to.0'],
  ['email', { to: ['ada@example.com\nBcc: eve@example.com'] }, 'to.0'],
  ['slack', { channel: '#ops' }, 'channel'],
  ['slack', { webhook_url: null }, 'channel'],
  ['slack', { webhook_url: null, channel: 'ops' }, 'channel'],
  ['slack', { webhook_url: null, channel: '#a b' }, 'channel'],
  ['slack', { webhook_url: null, channel: '#<!here>' }, 'channel'],
  ['slack', { webhook_url: 'ftp://example.com/' }, 'webhook_url'],
  ['webhook', { url: 'javascript:alert(1)' }, 'url'],
  ['webhook', { url: 'https://ada:secret@example.com/' }, 'url'],
  ['webhook', { url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
  ['pagerduty', { routing_key: 'short' }, 'routing_key'],
  ['pagerduty', { routing_key: 'with a blank' }, 'routing_key'],
  ['pagerduty', { region: 'ap' }, 'region'],
  ['opsgenie', { api_key: 'line\nbreak-and-more' }, 'api_key'],
  ['opsgenie', { site: 'ap' }, 'site'],
  ['teams', { url: '//example.com/' }, 'url'],
  ['discord', { thread_id: 'general' }, 'thread_id'],
  ['discord', { thread_id: '1&wait=true' }, 'thread_id'],
  ['telegram', { bot_token: '123456:short' }, 'bot_token'],
  ['telegram', { bot_token: '123456:aaaaaaaaaaaaaaaaaaaaaaaa/../' }, 'bot_token'],
  ['telegram', { chat_id: 'chat' }, 'chat_id'],
  ['telegram', { chat_id: '@abc' }, 'chat_id'],
  ['telegram', { topic_id: 0 }, 'topic_id'],
  ['telegram', { topic_id: 1.5 }, 'topic_id'],
  ['ntfy', { topic: 'a/b' }, 'topic'],
  ['ntfy', { topic: 'x'.repeat(65) }, 'topic'],
  ['ntfy', { server: mask }, 'server'],
  ['apprise', { tag: '' }, 'tag'],
  ['http', { method: 'GET' }, 'method'],
  ['http', { headers: { 'x y': 'v' } }, 'headers.x y'],
  ['http', { headers: { 'x-own': 'a\r\nx-other: b' } }, 'headers.x-own'],
  ['http', { headers: { Host: 'internal' } }, 'headers.Host'],
  ['http', { headers: { 'Content-Length': '0' } }, 'headers.Content-Length'],
  ['http', { headers: { 'transfer-encoding': 'chunked' } }, 'headers.transfer-encoding'],
  ['http', { headers: { 'user-agent': 'x' } }, 'headers.user-agent'],
  ['http', { headers: many(21) }, 'headers'],
  ['http', { content_type: 'json' }, 'content_type'],
  ['http', { content_type: 'text/plain\r\nx: y' }, 'content_type'],
  ['http', { template: '' }, 'template'],
  ['http', { template: 'x'.repeat(16_385) }, 'template'],
];
for (const [type, change, path] of refused)
  test(`a configuration of ${type} with ${JSON.stringify(change).slice(0, 70)} is refused at ${path}`, t => {
    const result = channelTypes[type].schema.safeParse({ ...configs[type], ...change });
    t.deepEqual(result.error?.issues.map(issue => issue.path.join('.')).slice(0, 1), [path]);
  });

const accepted: readonly [type: ChannelType, change: Fields, read: Fields][] = [
  ['email', { to: ['Ada@EXAMPLE.com '] }, { to: ['Ada@example.com'] }],
  ['email', { to: ['ada@bücher.example'] }, { to: ['ada@xn--bcher-kva.example'] }],
  ['slack', { webhook_url: null, channel: '#ops-été' }, { channel: '#ops-été' }],
  ['slack', { webhook_url: null, channel: 'C012ABCDEF' }, { channel: 'C012ABCDEF' }],
  ['pagerduty', { webhook_secret: undefined, region: undefined }, { webhook_secret: null, region: 'us' }],
  ['opsgenie', { site: undefined }, { site: 'us' }],
  ['discord', { thread_id: undefined }, { thread_id: null }],
  ['telegram', { chat_id: '@channel_name', topic_id: undefined }, { chat_id: '@channel_name', topic_id: null }],
  ['ntfy', { server: undefined, token: undefined }, { server: 'https://ntfy.sh', token: null }],
  ['apprise', { tag: undefined }, { tag: null }],
  ['http', { method: undefined, content_type: undefined }, { method: 'POST', content_type: 'application/json' }],
  ['http', { content_type: 'text/plain; charset=utf-8' }, { content_type: 'text/plain; charset=utf-8' }],
  ['http', { headers: many(20) }, { headers: many(20) }],
];
for (const [type, change, read] of accepted)
  test(`a configuration of ${type} with ${JSON.stringify(change).slice(0, 70)} is taken`, t => {
    t.like(parsed(type, { ...configs[type], ...change }), read);
  });

for (const type of channelTypeNames)
  test(`what the API shows of ${type} has no secret, and sent back it is what was stored`, t => {
    const stored = parsed(type, configs[type]);
    const shown = maskConfig(type, stored);
    t.notRegex(JSON.stringify(shown), secretMark);
    t.deepEqual(Object.keys(shown), Object.keys(stored));
    t.deepEqual(unmaskConfig(type, parsed(type, shown), stored), stored);
    if (type === 'email') return;
    const missing = t.throws(() => unmaskConfig(type, parsed(type, shown), null), { instanceOf: Problem });
    t.regex(JSON.stringify(missing), /no stored value to keep/);
  });

const stub = 'https://stub.example/';
const moves: readonly [type: ChannelType, stored: Fields, change: Fields, isKept: boolean][] = [
  ['ntfy', {}, { server: `${stub}other/path` }, true],
  ['ntfy', {}, { server: 'https://stub.example:8443/' }, false],
  ['ntfy', {}, { server: 'http://stub.example/' }, false],
  ['ntfy', {}, { server: 'https://stub.example.evil/' }, false],
  ['http', {}, { url: `${stub}http/secret-http` }, true],
  ['http', {}, { url: `${stub}http/secret-http/` }, false],
  ['http', {}, { url: `${stub}http/secret-http?x` }, false],
  ['pagerduty', {}, { region: 'eu' }, true],
  ['opsgenie', {}, { site: 'eu' }, true],
];
for (const [type, before, change, isKept] of moves)
  test(`secrets of ${type} ${isKept ? 'stay' : 'are asked for anew'} with ${JSON.stringify(change)}`, t => {
    const stored = parsed(type, { ...configs[type], ...before });
    const given = parsed(type, { ...maskConfig(type, stored), ...change });
    const keep = () => unmaskConfig(type, given, stored);
    if (isKept) t.like(keep(), change);
    else t.regex(JSON.stringify(t.throws(keep, { instanceOf: Problem })), /must be given anew/);
  });

test('a header keeps its value however its name is spelt, and a new one has none to keep', t => {
  const stored = parsed('http', configs.http);
  const given = (headers: Fields) => ({ ...stored, headers });
  t.deepEqual(unmaskConfig('http', given({ Authorization: mask }), stored).headers, {
    Authorization: 'Bearer secret-http-header',
  });
  t.throws(() => unmaskConfig('http', given({ 'x-new': mask }), stored));
  t.deepEqual(unmaskConfig('http', given({ 'x-new': 'v' }), stored).headers, { 'x-new': 'v' });
});

const policies = { public: { base: 'public', allow: [] }, loopback: { base: 'loopback', allow: [] } } as const;
const literals: readonly [url: string, policy: keyof typeof policies, isTaken: boolean][] = [
  ['https://example.com/', 'public', true],
  ['https://localhost/', 'public', true],
  ['https://93.184.215.14/', 'public', true],
  ['https://127.0.0.1/', 'public', false],
  ['https://10.0.0.1/', 'public', false],
  ['https://169.254.169.254/latest/', 'public', false],
  ['https://[::1]/', 'public', false],
  ['https://[::ffff:10.0.0.1]/', 'public', false],
  ['https://0x7f000001/', 'public', false],
  ['https://2130706433/', 'public', false],
  ['https://127.0.0.1/', 'loopback', true],
  ['https://10.0.0.1/', 'loopback', false],
];
for (const [url, policy, isTaken] of literals)
  test(`${url} ${isTaken ? 'can' : 'cannot'} be stored where ${policy} addresses may be called`, t => {
    for (const type of ['webhook', 'teams', 'discord', 'google_chat', 'apprise'] as const) {
      const complete = () => completeConfig(type, parsed(type, { ...configs[type], url }), null, policies[policy]);
      if (isTaken) t.deepEqual(addressesOf(type, complete()), [['url', new URL(url).href]], type);
      else t.regex(JSON.stringify(t.throws(complete, { instanceOf: Problem })), /\/config\/url/, type);
    }
  });

test('a stored secret stays with its server', t => {
  const stored = { server: 'https://ntfy.example/', topic: 'alerts', token: 'tk_12345678' };
  const masked = { server: 'https://ntfy.example/push', topic: '********', token: '********' };
  t.deepEqual(unmaskConfig('ntfy', masked, stored), { ...stored, server: masked.server });
  const moved = () => unmaskConfig('ntfy', { ...masked, server: 'https://evil.example/' }, stored);
  t.like(t.throws(moved), { code: 'validation_failed' });
  const http = { url: 'https://a.example/hook', headers: { authorization: 'Bearer 12345678' } };
  const away = { url: 'https://b.example/hook', headers: { authorization: '********' } };
  t.throws(() => unmaskConfig('http', away, http));
  t.notThrows(() => unmaskConfig('http', { ...away, url: '********' }, http));
  t.notThrows(() => unmaskConfig('http', { ...away, url: http.url }, http));
  for (const url of ['https://a.example/other', 'https://a.example/hook?to=other'])
    t.throws(() => unmaskConfig('http', { ...away, url }, http), undefined, 'a host may be shared');
});
