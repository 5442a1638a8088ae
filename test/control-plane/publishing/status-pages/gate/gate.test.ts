import test from 'ava';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { newAccess } from '#control-plane/publishing/status-pages/access/secrets.ts';
import { admits } from '#control-plane/publishing/status-pages/gate/admit.ts';
import { Gates } from '#control-plane/publishing/status-pages/gate/gates.ts';
import { Guesses } from '#control-plane/publishing/status-pages/gate/guesses.ts';
import { returnPath } from '#control-plane/publishing/status-pages/gate/request-parts.ts';
import { withKey } from '#control-plane/publishing/status-pages/gate/send-private.ts';
import { openTicket, sealTicket } from '#control-plane/publishing/status-pages/gate/ticket.ts';
import { Turns } from '#control-plane/publishing/status-pages/gate/turns.ts';

const page = '/status/acme';
const returns: readonly (readonly [unknown, string])[] = [
  [`${page}/history`, `${page}/history`],
  [page, page],
  ...[
    '//evil.example',
    'https://evil.example/status/acme',
    `${page}x`,
    `${page}//x`,
    `${page}/../x`,
    `${page}/a?b`,
  ].map(text => [text, page] as const),
  ...[`${page}\\x`, `${page}/\r\nSet-Cookie: a=b`, `${page}/access`, `${page}/${'x'.repeat(500)}`, undefined, 7].map(
    text => [text, page] as const,
  ),
];
for (const [asked, expected] of returns)
  test(`a visitor who asked for ${String(asked).slice(0, 40)} goes to ${expected}`, t => {
    t.is(returnPath(asked, page), expected);
  });

test('at its own domain a visitor stays on the page, too', t => {
  for (const [asked, expected] of [
    ['/history', '/history'],
    ['//evil.example', '/'],
    ['/access', '/'],
    [null, '/'],
  ])
    t.is(returnPath(asked, ''), expected ?? '');
});

test('the key is in the links to what it opens, of this page alone', t => {
  const html = '<a href="/status/acme/feed.rss"><a href="/status/acme/history"><a href="/status/other/feed.rss">';
  t.is(withKey(html, 'acme', 'upf_1'), html.replace('acme/feed.rss', 'acme/feed.rss?key=upf_1'));
});

test('five guesses a minute of an address at all pages, sixty at a page; those that are refused do not count', t => {
  const guesses = new Guesses();
  for (let index = 0; index < 5; index++) t.is(guesses.charge('sp_1', 'a', index * 1000), null);
  for (let index = 0; index < 200; index++) t.is(guesses.charge('sp_1', 'a', 10_000), 50);
  t.is(guesses.charge('sp_2', 'a', 10_000), 50);
  t.is(guesses.charge('sp_2', 'b', 10_000), null);
  for (let index = 0; index < 55; index++) t.is(guesses.charge('sp_1', `b${index}`, 10_000), null);
  t.is(guesses.charge('sp_1', 'c', 10_000), 50);
  t.is(guesses.charge('sp_1', 'c', 60_000), null);
});

test('two at once, sixteen wait, more are refused; a failure gives its turn on', async t => {
  const turns = new Turns({ running: 2, waiting: 16 });
  const [ends, results]: [(() => void)[], Promise<unknown>[]] = [[], []];
  for (let index = 0; index < 20; index++)
    results.push(turns.run(() => new Promise((resolve, reject) => ends.push(index % 2 ? () => resolve(1) : reject))));
  t.is(ends.length, 2);
  const settled = Promise.allSettled(results);
  for (let index = 0; index < 18; index++) {
    ends[index]?.();
    await new Promise(setImmediate);
  }
  const outcomes = (await settled).map(result => (result.status === 'rejected' ? 'failed' : result.value));
  t.deepEqual(outcomes, [...Array.from({ length: 18 }, (_, index) => (index % 2 ? 1 : 'failed')), null, null]);
  t.is(await turns.run(async () => 2), 2);
});

test('a slug that a page had leads to its gate, until another page has it', t => {
  const gates = new Gates();
  const gate = (pageId: string, formerSlugs: string[]) => ({
    pageId,
    type: 'link' as const,
    version: 1,
    ranges: [],
    formerSlugs,
  });
  gates.set('old', gate('sp_1', []));
  gates.set('new', gate('sp_1', ['old']));
  gates.delete('old');
  t.like(gates.find('old'), { slug: 'new', isFormer: true });
  t.is(gates.ofPage('sp_1')?.formerSlugs.length, 1);
  gates.set('old', null);
  t.like(gates.find('old'), { gate: null, isFormer: false });
  gates.delete('new');
  t.is(gates.ofPage('sp_1'), undefined);
});

test('the same access again changes nothing; a password is kept, never guessed from what is stored', async t => {
  const first = await newAccess(
    { type: 'public', ranges: [], secrets: {} },
    { type: 'password', password: 'a'.repeat(8) },
  );
  if (first === null || first === 'no_password') return t.fail();
  t.false(JSON.stringify(first).includes('aaaaaaaa'));
  t.is(await newAccess(first, { type: 'password', password: 'a'.repeat(8) }), null);
  t.is(await newAccess(first, { type: 'password', password: '********' }), null);
  t.is(await newAccess({ ...first, type: 'link' }, { type: 'password', password: '********' }), 'no_password');
  t.is(await newAccess({ ...first, type: 'link' }, { type: 'link' }), null);
  t.is(await newAccess({ type: 'ip', ranges: ['::1'], secrets: {} }, { type: 'ip', ranges: ['::1'] }), null);
});

test('a page for members lets in who is one, since they joined or signed out everywhere', t => {
  const gate = {
    pageId: 'sp_1',
    type: 'members' as const,
    version: 1,
    ranges: [],
    formerSlugs: [],
    people: { usr_1: 5 },
  };
  const lets = (visitor: { person?: string; at: number } | null, key: string | null = null) =>
    admits(gate, {
      visitor: visitor && { page: 'sp_1', version: 1, ...visitor },
      key,
      address: '192.0.2.1',
      rest: 'feed.rss',
    });
  t.true(lets({ person: 'usr_1', at: 5 }));
  for (const visitor of [null, { at: 9 }, { person: 'usr_1', at: 4 }, { person: 'usr_2', at: 9 }])
    t.false(lets(visitor, 'upf_1'));
  t.false(lets({ person: 'constructor', at: 9 }));
});

test('a ticket opens one page, one version of its access, on one host, for a minute', t => {
  const keyring = createKeyring([Buffer.alloc(32, 1).toString('base64')]);
  const ticket = { page: 'sp_1', version: 2, host: 'a.example', person: 'usr_1', at: 1000 };
  const text = sealTicket(ticket, keyring);
  const [gate, host] = [{ pageId: 'sp_1', version: 2 }, 'a.example'];
  const open = (changed: object, given = text, nowMs = 60_999) =>
    openTicket(given, { ...gate, ...changed }, { keyring, host, nowMs, ...changed });
  t.deepEqual(open({}), ticket);
  for (const changed of [{ pageId: 'sp_2' }, { version: 3 }, { host: 'b.example' }, { nowMs: 61_000 }])
    t.is(open(changed), null);
  for (const given of ['', 'x', `${text}A`.slice(1), 'A'.repeat(5000)]) t.is(open({}, given), null);
});
