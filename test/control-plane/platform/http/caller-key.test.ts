import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createCallerKey } from '#control-plane/platform/http/limits/caller-address.ts';
import { createKeyring, newSecretKey } from '#control-plane/platform/secrets/keyring.ts';
import { parseRange } from '#shared/network/guard.ts';
import { apiOf, createTenant, startReplica, testSecretKey } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const address = '198.51.100.77';
const network = '2001:db8:77:3';

test('no address of a caller is stored, whatever it calls; limits have a keyed hash of it', async t => {
  const range = parseRange('127.0.0.0/8');
  const mailbox = await startMailbox();
  t.teardown(() => mailbox[Symbol.asyncDispose]());
  const replica = await startReplica(databaseOf(), {
    smtpUrl: mailbox.url,
    trustedProxies: range === null ? [] : [range],
  });
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const page = await apiOf(replica.url, token)('POST', '/v0/status-pages', { name: 'Page', slug: randomUUID() });
  const nobody = apiOf(replica.url, '');
  const text = { 'content-type': 'text/plain' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const calls: [string, string, unknown, Record<string, string>][] = [
    ['POST', `/v0/events?project_id=${projectId}`, { name: 'viewed' }, text],
    ['POST', '/dashboard/session', { token: 'upq_wrong' }, { 'sec-fetch-site': 'same-origin' }],
    ['POST', '/dashboard/session', { token }, { 'sec-fetch-site': 'same-origin' }],
    ['POST', `/status/${page.body.slug}/subscribe`, 'email=visitor@example.com', form],
    ['GET', `/status/${page.body.slug}/confirm?token=x`, undefined, {}],
    ['POST', '/ack/unknown', undefined, {}],
    ['POST', `/hooks/slack/${projectId}`, '{}', {}],
    ['GET', '/wall/data', undefined, { authorization: 'Bearer upqw_unknown' }],
    ['GET', '/v0/monitors', undefined, { authorization: `Bearer ${token}` }],
  ];
  for (const from of [address, `${network}::1`])
    for (const [method, path, body, headers] of calls) {
      const answer = await nobody(method as 'GET', path, body, { ...headers, 'x-forwarded-for': from });
      t.true(answer.status < 500, `${method} ${path} ${answer.status}`);
    }
  const tables = await readTables(databaseOf());
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows) t.false(row.includes(address) || row.includes(network), `${table}: ${row}`);
  const callerKey = createCallerKey(createKeyring([testSecretKey]), []);
  const socket = { remoteAddress: address } as never;
  const key = callerKey({ headers: {}, socket });
  const buckets = [...(tables.rate_buckets ?? []), ...(tables.ingest_buckets ?? [])].map(row => JSON.parse(row).key);
  for (const kind of ['address', 'sign-in', 'subscribe', 'subscription', 'link', 'hook', 'screen'])
    t.true(buckets.includes(`${kind} ${key}`), `${kind} in ${buckets}`);
});

test('a key is the same on each replica, for a whole IPv6 network, and without the secret cannot be computed', t => {
  const [one, two] = [createKeyring([testSecretKey]), createKeyring([testSecretKey, newSecretKey()])];
  const keyOf = (keyring: typeof one, remoteAddress: string) =>
    createCallerKey(keyring, [])({ headers: {}, socket: { remoteAddress } as never });
  t.is(keyOf(one, address), keyOf(two, address));
  t.is(keyOf(one, `${network}::1`), keyOf(one, `${network}:ffff::2`));
  t.not(keyOf(one, address), keyOf(one, '198.51.100.78'));
  t.not(keyOf(one, address), keyOf(createKeyring([newSecretKey()]), address));
});
