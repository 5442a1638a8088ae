import test from 'ava';
import { decide, type Look, nextCheck } from '#control-plane/publishing/status-pages/domains/decide.ts';
import {
  type DomainRow,
  domainNameOf,
  isOurs,
  proofOf,
} from '#control-plane/publishing/status-pages/domains/domain.ts';
import { plainHost, schemeOf } from '#control-plane/publishing/status-pages/hosts/request-host.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { parseRange } from '#shared/network/guard.ts';

const long = Array.from({ length: 4 }, () => 'a'.repeat(62)).join('.');
const names: [given: string, stored: string | null][] = [
  ['status.acme.example', 'status.acme.example'],
  ['Status.ACME.Example', 'status.acme.example'],
  ['acme.example', 'acme.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['status。acme．example', 'status.acme.example'],
  ['a.b.c.d.e.f.g.h.i.example', 'a.b.c.d.e.f.g.h.i.example'],
  ['a.b.c.d.e.f.g.h.i.j.example', null],
  [`${long}.x`, `${long}.x`],
  [`${long}.xyz`, null],
  [`${'a'.repeat(64)}.example`, null],
  ['acme', null],
  ['', null],
  ['.', null],
  ['acme.example.', null],
  ['.acme.example', null],
  ['status..acme.example', null],
  ['*.acme.example', null],
  ['_upquorum.acme.example', null],
  ['-a.example', null],
  ['a-.example', null],
  ['127.0.0.1', null],
  ['0x7f.1', null],
  ['status.0x7f', null],
  ['status.1', null],
  ['[::1]', null],
  ['::1', null],
  ['acme.example:443', null],
  ['https://acme.example', null],
  ['acme.example/status', null],
  ['user@acme.example', null],
  ['acme.example?x', null],
  ['acme.example#x', null],
  ['acme%2eexample.org', null],
  ['acme\\.example', null],
  ['acme .example', null],
  ['acme.example\n', null],
  ['acme\u0000.example', null],
];

for (const [given, stored] of names)
  test(`the name ${JSON.stringify(given.slice(0, 60))} (${given.length}) is stored as ${stored?.slice(0, 40)}`, t =>
    t.is(domainNameOf(given), stored));

test('the host of the installation and names above it belong to no page', t => {
  for (const name of ['up.ops.example', 'ops.example']) t.true(isOurs(name, 'https://up.ops.example:8443'), name);
  for (const name of ['p.ops.example', 'status.up.ops.example', 'xops.example', 'acme.example'])
    t.false(isOurs(name, 'https://up.ops.example'), name);
});

const hosts: [header: string, host: string][] = [
  ['Status.Acme.Example', 'status.acme.example'],
  ['status.acme.example:8080', 'status.acme.example'],
  ['status.acme.example.', 'status.acme.example'],
  ['status.acme.example.:443', 'status.acme.example'],
  ['status.acme.example:', 'status.acme.example'],
  ['[::1]:8080', '[::1]'],
  ['', ''],
];
for (const [header, host] of hosts)
  test(`the Host ${JSON.stringify(header)} is ${JSON.stringify(host)}`, t => t.is(plainHost(header), host));

test('a scheme is believed of trusted proxies alone; what another proxy says leaves it open', t => {
  const trusted = ['10.0.0.0/8'].map(parseRange).filter(range => range !== null);
  const seen = (remoteAddress: string, said?: string) =>
    schemeOf(
      { headers: said === undefined ? {} : { 'x-forwarded-proto': said }, socket: { remoteAddress } } as never,
      trusted,
    );
  t.is(seen('10.0.0.1', 'https'), 'https');
  t.is(seen('::ffff:10.0.0.1', 'HTTPS, http'), 'https');
  t.is(seen('10.0.0.1', 'http'), 'http');
  t.is(seen('10.0.0.1'), null);
  t.is(seen('10.0.0.1', 'wss'), null);
  t.is(seen('192.0.2.1', 'https'), null);
  t.is(seen('192.0.2.1'), 'http');
});

const now = 1_000 * dayMs;
const row: DomainRow = {
  id: 'dom_1',
  project_id: 'proj_1',
  status_page_id: 'sp_1',
  domain: 'status.acme.example',
  token: 'ours',
  state: 'pending',
  state_since: now - minuteMs,
  points_here: null,
  error: null,
  checked_at: null,
  verified_at: null,
  asked_at: null,
  next_check_at: now,
  created_at: now - minuteMs,
};
const theirs = { domain: row.domain, token: 'theirs' };
const look = (...tokens: string[]): Look => ({
  values: tokens.map(token => proofOf({ domain: row.domain, token }).value),
  error: 'none',
  pointsHere: null,
});
const silence: Look = { values: null, error: 'SERVFAIL', pointsHere: null };
const after = (
  state: DomainRow['state'],
  seen: Look,
  more: { sinceMs?: number; holder?: typeof theirs; isAsked?: boolean } = {},
) => {
  const { sinceMs = minuteMs, holder = null, isAsked = false } = more;
  return decide({ ...row, state, state_since: now - sinceMs }, { look: seen, holder, isAsked }, now);
};

test('what a look makes of a domain', t => {
  t.is(after('pending', look()).state, 'pending');
  t.is(after('pending', silence).state, 'pending');
  t.like(after('pending', look('others', 'ours')), { state: 'verified', verified_at: now, state_since: now });
  t.is(after('pending', look('theirs', 'ours'), { holder: theirs }).state, 'verified');
  t.like(after('verified', look('ours')), { state: 'verified', verified_at: null, state_since: now - minuteMs });
  t.like(after('verified', look('theirs')), { state: 'failing', state_since: now });
  t.is(after('verified', silence).state, 'verified');
  t.is(after('failing', look('ours')).state, 'verified');
  t.is(after('failing', look(), { sinceMs: 72 * hourMs - 1 }).state, 'failing');
  t.is(after('failing', look(), { sinceMs: 72 * hourMs }).state, 'lost');
  t.is(after('failing', silence, { sinceMs: 100 * dayMs }).state, 'failing');
  t.is(after('lost', look()).state, 'lost');
  t.is(after('lost', look('ours')).state, 'verified');
  t.is(after('removed', look('ours')).state, 'removed');
});

test('a domain whose two pages both have a record does not move with each look, but by asking', t => {
  t.is(after('lost', look('theirs', 'ours'), { holder: theirs }).state, 'lost');
  t.is(after('lost', look('theirs', 'ours'), { holder: theirs, isAsked: true }).state, 'verified');
  t.is(after('lost', look('ours'), { holder: theirs }).state, 'verified');
});

test('a domain is looked at often at first, then by demand alone; a proven one each six hours', t => {
  const wait = (state: DomainRow['state'], sinceMs: number) => {
    const next = nextCheck(state, now - sinceMs, now);
    return next === null ? null : next - now;
  };
  for (const state of ['pending', 'lost'] as const) {
    t.is(wait(state, 0), minuteMs);
    t.is(wait(state, hourMs - 1), minuteMs);
    t.is(wait(state, hourMs), 10 * minuteMs);
    t.is(wait(state, 3 * dayMs), null);
  }
  t.is(wait('verified', 100 * dayMs), 6 * hourMs);
  t.is(wait('failing', hourMs), hourMs);
});
