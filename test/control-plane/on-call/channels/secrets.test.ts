import { randomBytes } from 'node:crypto';
import test from 'ava';
import { isExpired, linkToken, readLinkToken } from '#control-plane/on-call/channels/addresses/link-token.ts';
import { auditChannel } from '#control-plane/on-call/channels/audit.ts';
import {
  openChannelSecret,
  openConfig,
  resealConfig,
  sealChannelSecret,
  sealConfig,
} from '#control-plane/on-call/channels/secrets/sealed.ts';
import type { ChannelRow } from '#control-plane/on-call/channels/store.ts';
import { type ChannelType, channelTypeNames, channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { viewChannel } from '#control-plane/on-call/channels/view.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { dayMs } from '#shared/duration.ts';
import { channelConfigs, secretMark } from '#test/support/channel-configs.ts';

const secretKey = () => randomBytes(32).toString('base64');
const [first, second] = [secretKey(), secretKey()];
const keyring = createKeyring([first]);
const at = Date.UTC(2026, 10, 22, 9, 30);

const links = [
  { purpose: 'acknowledge', project: 'proj_1', group: 'agp_1', channel: 'chn_1', at },
  { purpose: 'confirm', project: 'proj_1', address: 'a1', at },
] as const;
for (const content of links)
  test(`a link to ${content.purpose} says what it is for, to whoever has the key, and in one spelling`, t => {
    const token = linkToken(content, keyring);
    t.regex(token, /^[\w-]{1,1000}$/);
    t.deepEqual(readLinkToken(token, keyring), content);
    t.not(token, linkToken(content, keyring), 'two of one content differ');
    t.deepEqual(readLinkToken(token, createKeyring([second, first])), content, 'after a rotation of keys');
    const others = [`${token}=`, `${token} `, token.slice(1), token.slice(0, -1), `x${token}`, token.toUpperCase(), ''];
    for (const other of others) t.is(readLinkToken(other, keyring), null, other);
    t.is(readLinkToken(token, createKeyring([second])), null);
    t.is(readLinkToken('a'.repeat(100_000), keyring), null);
  });

test('what was sealed for another purpose, or with another content, is no link', t => {
  const seal = (content: unknown, context = 'link in a message') =>
    Buffer.from(keyring.seal(JSON.stringify(content), context)).toString('base64url');
  const [link] = links;
  t.deepEqual(readLinkToken(seal(link), keyring), link);
  for (const wrong of [{ ...link, purpose: 'resolve' }, { ...link, at: 'now' }, { ...link, group: undefined }, 1, null])
    t.is(readLinkToken(seal(wrong), keyring), null, JSON.stringify(wrong));
  t.is(readLinkToken(seal(link, 'channel config chn_1'), keyring), null);
});

test('a link is good for seven days, to the millisecond', t => {
  const [link] = links;
  t.false(isExpired(link, at));
  t.false(isExpired(link, at + 7 * dayMs - 1));
  t.true(isExpired(link, at + 7 * dayMs));
});

const configs: Readonly<Record<ChannelType, Record<string, unknown>>> = {
  email: { to: ['ada@example.com'] },
  ...channelConfigs('https://stub.example/'),
};

function rowOf(type: ChannelType, changes: Partial<ChannelRow> = {}): ChannelRow {
  const config = channelTypes[type].schema.parse(configs[type]);
  return {
    id: 'chn_1',
    project_id: 'proj_1',
    name: 'ops',
    type,
    sealed_config: Buffer.from(sealConfig('chn_1', config, keyring)),
    sealed_secret: null,
    address_ids: [],
    detail: 'full',
    enabled: true,
    failures: 0,
    failing_since: null,
    last_sent_at: null,
    last_error: null,
    created_at: at,
    updated_at: at,
    unconfirmed_ids: [],
    unconfirmed_addresses: [],
    ...changes,
  };
}

for (const type of channelTypeNames)
  test(`a configuration of ${type} is read only of its own channel, and neither shown nor audited with secrets`, t => {
    const row = rowOf(type);
    t.deepEqual(openConfig(row, keyring), channelTypes[type].schema.parse(configs[type]));
    t.notRegex(row.sealed_config.toString('latin1'), secretMark);
    t.throws(() => openConfig({ ...row, id: 'chn_2' }, keyring), undefined, 'its bytes in another row open nothing');
    t.notRegex(JSON.stringify(viewChannel(row, keyring)), secretMark);
    t.notRegex(JSON.stringify(auditChannel(row, keyring)), secretMark);
    const rotated = createKeyring([second, first]);
    const resealed = Buffer.from(resealConfig(row, rotated));
    t.deepEqual(openConfig({ ...row, sealed_config: resealed }, createKeyring([second])), openConfig(row, keyring));
  });

test('a configuration of an earlier version has the defaults of what came later', t => {
  const sealed_config = Buffer.from(sealConfig('chn_1', { url: 'https://a.example/', template: 'x' }, keyring));
  const read = openConfig({ id: 'chn_1', type: 'http', sealed_config }, keyring);
  t.like(read, { method: 'POST', headers: {}, content_type: 'application/json' });
});

test('the secret of a webhook is read only of its own channel; other types have none', t => {
  const sealed_secret = Buffer.from(sealChannelSecret('chn_1', 'whsec_x', keyring));
  t.is(openChannelSecret({ id: 'chn_1', sealed_secret }, keyring), 'whsec_x');
  t.throws(() => openChannelSecret({ id: 'chn_2', sealed_secret }, keyring));
  t.is(openChannelSecret({ id: 'chn_1', sealed_secret: null }, keyring), null);
});

const states: readonly [changes: Partial<ChannelRow>, state: string][] = [
  [{}, 'ok'],
  [{ failures: 4 }, 'ok'],
  [{ failing_since: at }, 'failing'],
  [{ unconfirmed_ids: ['a1'] }, 'unverified'],
  [{ unconfirmed_ids: ['a1'], failing_since: at }, 'failing'],
  [{ enabled: false }, 'ok'],
];
for (const [changes, state] of states)
  test(`a channel with ${JSON.stringify(changes)} is shown as ${state}`, t => {
    t.like(viewChannel(rowOf('email', changes), keyring), { state, last_sent_at: null, unconfirmed: [] });
  });
