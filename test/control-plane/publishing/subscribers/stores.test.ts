import test from 'ava';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { createPepper } from '#control-plane/platform/secrets/pepper-store.ts';
import { findPage } from '#control-plane/publishing/status-pages/store.ts';
import { createAddressHash } from '#control-plane/publishing/subscribers/address-hash.ts';
import { importSubscribers } from '#control-plane/publishing/subscribers/import.ts';
import { openAddress, openSecret, openToken, sealSubscriber } from '#control-plane/publishing/subscribers/sealed.ts';
import { findSubscriber } from '#control-plane/publishing/subscribers/store.ts';
import { type Subscription, subscribeAddress } from '#control-plane/publishing/subscribers/subscribe.ts';
import { hashToken } from '#control-plane/publishing/subscribers/subscriber.ts';
import {
  confirmByToken,
  findByToken,
  findPageOfToken,
  unsubscribeByToken,
} from '#control-plane/publishing/subscribers/token-store.ts';
import { allowImports, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { createPage, type PageRows, testKeyring } from '#test/support/page-rows.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);
const hour = 3_600_000;

/** Subscribes through recorded hooks: `confirmations` are the ids of subscribers that are sent a confirmation email. */
function openSubscribing(sql: Sql, page: PageRows) {
  const confirmations: string[] = [];
  const hooks = {
    confirmationWanted: async (_: Sql, subscriber: { id: string }) => void confirmations.push(subscriber.id),
    left: async () => {},
  };
  const services = {
    keyring: testKeyring,
    hashAddress: createAddressHash(createPepper(sql, testKeyring)),
    hooks,
    chargeConfirmation: async () => {},
  };
  const email = { ...page, channel: 'email', address: 'ada@example.com', componentIds: [], consent: null } as const;
  return {
    services,
    confirmations,
    subscribe: (changes: Partial<Subscription> = {}, atMs = now) =>
      subscribeAddress(sql, services, { ...email, byVisitor: true, ...changes }, atMs),
  };
}

async function tokenOf(sql: Sql, id: string): Promise<string> {
  const row = await findSubscriber(sql, id);
  if (row === null) throw new Error('there is no such subscriber');
  return openToken(row, testKeyring);
}

test.serial('an address is hashed the same by every replica, and differently on every page', async t => {
  await withSql(databaseOf(), async sql => {
    await sql.run`delete from address_pepper`;
    const replicas = Array.from({ length: 4 }, () => createAddressHash(createPepper(sql, testKeyring)));
    const hashes = await Promise.all(replicas.map(hash => hash('sp_1', 'email', 'Ada@example.com')));
    const [hash] = replicas;
    if (hash === undefined) return t.fail();
    t.is(new Set(hashes.map(bytes => bytes.toString('hex'))).size, 1, 'the first pepper stays');
    t.deepEqual(await hash('sp_1', 'email', 'ada@EXAMPLE.com'), hashes[0]);
    t.notDeepEqual(await hash('sp_2', 'email', 'ada@example.com'), hashes[0]);
    t.notDeepEqual(await hash('sp_1', 'webhook', 'ada@example.com'), hashes[0]);
  });
});

test('a sealed value opens only for the row and the column that it was sealed for', t => {
  const values = { address: 'ada@example.com', token: 'token', secret: 'whsec_' };
  const sealed = sealSubscriber('sub_1', values, testKeyring);
  const row = { id: 'sub_1', sealed_address: sealed.address, sealed_token: sealed.token, sealed_secret: sealed.secret };
  t.deepEqual([openAddress(row, testKeyring), openToken(row, testKeyring)], ['ada@example.com', 'token']);
  t.is(openSecret(row, testKeyring), 'whsec_');
  t.is(openSecret({ ...row, sealed_secret: null }, testKeyring), null);
  t.throws(() => openAddress({ ...row, id: 'sub_2' }, testKeyring));
  t.throws(() => openAddress({ ...row, sealed_address: row.sealed_token }, testKeyring));
});

test.serial('an address subscribes once per page and confirms at most once an hour', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const { subscribe, confirmations } = openSubscribing(sql, page);
    const first = await subscribe();
    t.like(first, { before: null, secret: null });
    t.is((await subscribe({ address: 'ADA@example.com' }, now + hour - 1)).before?.id, first.id);
    t.deepEqual(confirmations, [first.id]);
    t.is((await subscribe({}, now + hour)).id, first.id);
    t.deepEqual(confirmations, [first.id, first.id]);
    const elsewhere = openSubscribing(sql, await createPage(databaseOf()));
    t.is((await elsewhere.subscribe()).before, null);
  });
});

test.serial('consent makes an address active without a confirmation', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const { subscribe, confirmations } = openSubscribing(sql, page);
    const { id } = await subscribe({ consent: 'by phone', byVisitor: false });
    t.like(await findSubscriber(sql, id), { state: 'active', consent: 'by phone', confirmed_at: now });
    await subscribe({ componentIds: ['comp_1'], byVisitor: true }, now + 1);
    t.deepEqual((await findSubscriber(sql, id))?.component_ids, []);
    await subscribe({ componentIds: ['comp_1'], byVisitor: false }, now + 2);
    t.like(await findSubscriber(sql, id), { component_ids: ['comp_1'], consent: 'by phone', confirmed_at: now });
    t.deepEqual(confirmations, []);
  });
});

test.serial('a webhook gets a new secret only when it becomes active again', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const { subscribe } = openSubscribing(sql, page);
    const webhook = { channel: 'webhook', address: 'https://example.com/in', byVisitor: false } as const;
    const first = await subscribe(webhook);
    t.regex(first.secret ?? '', /^whsec_/);
    t.is((await subscribe(webhook)).secret, null);
    await unsubscribeByToken(sql, page.statusPageId, hashToken(await tokenOf(sql, first.id)), now);
    const revived = await subscribe(webhook);
    t.regex(revived.secret ?? '', /^whsec_/);
    const row = await findSubscriber(sql, first.id);
    t.is(row === null ? null : openSecret(row, testKeyring), revived.secret);
    t.is(row?.state, 'active');
  });
});

test.serial('a token confirms and unsubscribes on its own page only', async t => {
  const [page, other] = [await createPage(databaseOf()), await createPage(databaseOf())];
  await withSql(databaseOf(), async sql => {
    const { id } = await openSubscribing(sql, page).subscribe();
    const hash = hashToken(await tokenOf(sql, id));
    t.is(await confirmByToken(sql, other.statusPageId, hash, now), null);
    t.is(await unsubscribeByToken(sql, other.statusPageId, hash, now), null);
    t.like(await findByToken(sql, page.statusPageId, hash), { id, state: 'pending' });
    t.is(await confirmByToken(sql, page.statusPageId, hash, now + 1), 'active');
    t.like(await findSubscriber(sql, id), { consent: 'confirmed by email', confirmed_at: now + 1 });
    t.is(await confirmByToken(sql, page.statusPageId, hash, now + 2), 'active');
    t.is((await findSubscriber(sql, id))?.confirmed_at, now + 1, 'a second confirmation changes nothing');
    t.is(await unsubscribeByToken(sql, page.statusPageId, hash, now + 3), id);
    t.is(await unsubscribeByToken(sql, page.statusPageId, hash, now + 4), id);
    t.is(await confirmByToken(sql, page.statusPageId, hash, now + 5), 'unsubscribed');
    await sql.run`update status_pages set locale = 'fr', color = '#112233' where id = ${page.statusPageId}`;
    const found = await findPageOfToken(sql, hash);
    t.like(found, { id: page.statusPageId, locale: 'fr', brandColor: '#112233' });
    t.deepEqual(found, await findPage(sql, page.projectId, page.statusPageId), 'with all settings');
    t.is(await findPageOfToken(sql, hashToken('none')), null);
  });
});

test.serial('an import adds new addresses as active and leaves existing ones unchanged', async t => {
  const page = await createPage(databaseOf());
  await withSql(databaseOf(), async sql => {
    const { services, subscribe, confirmations } = openSubscribing(sql, page);
    await allowImports(databaseOf(), page.projectId);
    const { id } = await subscribe();
    const subscribers = ['ada@example.com', 'Bob@example.com'].map(email => ({
      email,
      component_ids: [],
      state: 'active' as const,
    }));
    const posted = { consent: 'newsletter', subscribers };
    t.is(await importSubscribers(sql, services, page, posted, now), 1);
    t.is(await importSubscribers(sql, services, page, posted, now), 0);
    t.is((await findSubscriber(sql, id))?.state, 'pending');
    t.deepEqual(confirmations, [id], 'an import sends no confirmation');
  });
});
