import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { HostsFile, parseHosts } from '#shared/network/hosts-file.ts';
import { parseServer, queryNameServers } from '#shared/network/name-servers.ts';
import { type DnsQuery, ResolveError, Resolver } from '#shared/network/resolver.ts';

const noHosts = new HostsFile('/dev/null');

/** A resolver whose clock and answers are set by hand; `queries` is what was sent to the server. */
function makeResolver(answers: Record<string, string[] | string>, ttl = 60) {
  const clock = { ms: 0 };
  const queries: string[] = [];
  const query: DnsQuery = async (name, family) => {
    queries.push(`${family} ${name}`);
    const found = answers[name] ?? 'ENOTFOUND';
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found });
    const addresses = found.filter(address => address.includes(':') === (family === 6));
    if (addresses.length === 0) throw Object.assign(new Error('no data'), { code: 'ENODATA' });
    return addresses.map(address => ({ address, ttl }));
  };
  return { clock, queries, resolver: new Resolver(query, noHosts, () => clock.ms) };
}

test('IPv4 addresses come first, and a name with only IPv6 addresses resolves', async t => {
  const { resolver } = makeResolver({ 'both.test': ['2a00::1', '192.0.2.1'], 'six.test': ['2a00::2'] });
  t.is((await resolver.resolve('both.test'))[0], '192.0.2.1');
  t.deepEqual(await resolver.resolve('SIX.test.'), ['2a00::2']);
});

test('an answer is cached for its TTL and no longer', async t => {
  const { resolver, queries, clock } = makeResolver({ 'a.test': ['192.0.2.1'] }, 60);
  for (const ms of [0, 59_000]) {
    clock.ms = ms;
    await resolver.resolve('a.test');
  }
  t.deepEqual(queries, ['6 a.test', '4 a.test']);
  clock.ms = 60_001;
  await resolver.resolve('a.test');
  t.is(queries.filter(name => name === '4 a.test').length, 2);
});

test('a TTL of a day is cut to five minutes, and one of zero is not cached', async t => {
  const long = makeResolver({ 'a.test': ['192.0.2.1'] }, 86_400);
  await long.resolver.resolve('a.test');
  long.clock.ms = 300_001;
  await long.resolver.resolve('a.test');
  t.is(long.queries.filter(name => name === '4 a.test').length, 2);
  const none = makeResolver({ 'a.test': ['192.0.2.1'] }, 0);
  await none.resolver.resolve('a.test');
  await none.resolver.resolve('a.test');
  t.is(none.queries.filter(name => name === '4 a.test').length, 2);
});

test('a name that does not exist is queried again by the second attempt', async t => {
  const { resolver, queries, clock } = makeResolver({});
  await t.throwsAsync(resolver.resolve('no.test'), { instanceOf: ResolveError, message: 'ENOTFOUND' });
  clock.ms = 500;
  await t.throwsAsync(resolver.resolve('no.test'));
  t.is(queries.length, 2);
  clock.ms = 1000;
  await t.throwsAsync(resolver.resolve('no.test'));
  t.is(queries.length, 4);
});

test('concurrent queries for the same name are sent once', async t => {
  const { resolver, queries } = makeResolver({ 'a.test': ['192.0.2.1'] });
  await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('a.test')));
  t.is(queries.filter(name => name === '4 a.test').length, 1);
});

test('a silent resolver is distinguished from one that answers other names', async t => {
  const { resolver } = makeResolver({ 'a.test': ['192.0.2.1'], 'dead.test': 'ETIMEOUT', '': 'ETIMEOUT' });
  await t.throwsAsync(resolver.resolve('dead.test'), { message: 'ETIMEOUT' });
  t.false(resolver.hasAnsweredRecently());
  await resolver.resolve('a.test');
  t.true(resolver.hasAnsweredRecently());
});

test('the cache is bounded', async t => {
  const names = Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`n${index}.test`, ['192.0.2.1']]));
  const { resolver, queries } = makeResolver(names);
  for (const name of Object.keys(names)) await resolver.resolve(name);
  queries.length = 0;
  await resolver.resolve('n0.test');
  await resolver.resolve('n11999.test');
  t.deepEqual(queries, ['6 n0.test', '4 n0.test']);
});

test('the hosts file takes precedence over the servers, and localhost is this host', async t => {
  t.deepEqual(parseHosts('127.0.0.1 a b # c\n::1 a\nnonsense d').get('a'), ['127.0.0.1', '::1']);
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-hosts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'hosts'), '192.0.2.7 Printer.test\n');
  const resolver = new Resolver(() => Promise.reject(new Error('queried')), new HostsFile(join(folder, 'hosts')));
  t.deepEqual(await resolver.resolve('printer.test'), ['192.0.2.7']);
  t.deepEqual(await resolver.resolve('app.localhost'), ['127.0.0.1', '::1']);
});

test('a missing record is cached for five seconds, and beside addresses of the other family as they', async t => {
  const answers: Record<string, string[]> = { 'six.test': ['2a00::1'], 'four.test': ['192.0.2.1'], 'none.test': [] };
  const { resolver, queries, clock } = makeResolver(answers, 60);
  const resolveAll = async () => {
    queries.length = 0;
    for (const name of Object.keys(answers)) await resolver.resolve(name).catch(() => undefined);
    return queries.toSorted();
  };
  t.is((await resolveAll()).length, 6);
  clock.ms = 4999;
  t.deepEqual(await resolveAll(), []);
  clock.ms = 5001;
  t.deepEqual(await resolveAll(), ['4 none.test', '6 none.test']);
  answers['four.test'] = ['192.0.2.1', '2a00::2'];
  clock.ms = 60_001;
  t.is((await resolveAll()).length, 6);
  t.deepEqual(await resolver.resolve('four.test'), ['192.0.2.1', '2a00::2']);
});

/** A resolver with a TTL and an answer of its own for each family. */
function makeFamilies(families: Record<4 | 6, { ttl: number; answer: () => Promise<string[]> }>) {
  const clock = { ms: 0 };
  const queries: number[] = [];
  const query: DnsQuery = async (_, family) => {
    queries.push(family);
    return (await families[family].answer()).map(address => ({ address, ttl: families[family].ttl }));
  };
  return { clock, queries, resolver: new Resolver(query, noHosts, () => clock.ms) };
}

const four = async () => ['192.0.2.1'];
const six = async () => ['2a00::1'];
for (const [ttl4, ttl6] of [
  [300, 5],
  [5, 300],
  [5, 5],
  [0, 0],
  [0, 300],
  [300, 0],
] as const)
  test(`with TTLs of ${ttl4} s and ${ttl6} s all addresses are known at all times, each asked by its own`, async t => {
    const { resolver, queries, clock } = makeFamilies({
      4: { ttl: ttl4, answer: four },
      6: { ttl: ttl6, answer: six },
    });
    const asked: Record<number, number> = { 4: 0, 6: 0 };
    for (const ms of [0, 4000, 6000, 299_000, 301_000]) {
      clock.ms = ms;
      t.deepEqual(await resolver.resolve('both.test'), ['192.0.2.1', '2a00::1'], `at ${ms} ms`);
    }
    for (const family of queries) asked[family] = (asked[family] ?? 0) + 1;
    const times = { 0: 5, 5: 3, 300: 2 } as const;
    t.deepEqual(asked, { 4: times[ttl4], 6: times[ttl6] });
  });

test('IPv4 addresses are given out before the answer for IPv6, which comes later', async t => {
  const slow = Promise.withResolvers<string[]>();
  const { resolver } = makeFamilies({ 4: { ttl: 0, answer: four }, 6: { ttl: 0, answer: () => slow.promise } });
  const { known, later } = await resolver.find('both.test');
  t.deepEqual(known, ['192.0.2.1']);
  t.deepEqual(await resolver.resolve('both.test'), ['192.0.2.1'], 'who needs all at once does not wait for long');
  slow.resolve(['2a00::1']);
  t.deepEqual(await later, ['2a00::1']);
});

test('a query that fails beside addresses of the other family is sent again after five seconds', async t => {
  const failing = () => Promise.reject(Object.assign(new Error('x'), { code: 'ESERVFAIL' }));
  const { resolver, queries, clock } = makeFamilies({ 4: { ttl: 60, answer: four }, 6: { ttl: 60, answer: failing } });
  for (const ms of [0, 4999, 5001]) {
    clock.ms = ms;
    t.deepEqual(await resolver.resolve('both.test'), ['192.0.2.1']);
  }
  t.deepEqual(queries.toSorted(), [4, 6, 6]);
});

test('a name that has neither record fails as ENODATA, and a server failure says more than that', async t => {
  const none = makeResolver({ 'none.test': [] });
  await t.throwsAsync(none.resolver.resolve('none.test'), { instanceOf: ResolveError, message: 'ENODATA' });
  const failing = new Resolver(
    async (_, family) => {
      throw Object.assign(new Error('x'), { code: family === 4 ? 'ENODATA' : 'ESERVFAIL' });
    },
    noHosts,
    () => 0,
  );
  await t.throwsAsync(failing.resolve('a.test'), { message: 'ESERVFAIL' });
});

test('a failure of the server is not cached', async t => {
  const { resolver, queries } = makeResolver({ 'a.test': 'ESERVFAIL' });
  await t.throwsAsync(resolver.resolve('a.test'));
  await t.throwsAsync(resolver.resolve('a.test'));
  t.is(queries.filter(name => name === '4 a.test').length, 2);
});

test('a silent name is followed by one query for the root, which clears the resolver if answered', async t => {
  const { resolver, queries } = makeResolver({ 'dead.test': 'ETIMEOUT', '': ['192.0.2.1'] });
  await t.throwsAsync(resolver.resolve('dead.test'));
  t.is(queries.filter(name => name === '4 ').length, 1);
  t.true(resolver.hasAnsweredRecently());
});

test('an answer counts as recent for 30 seconds', async t => {
  const { resolver, clock } = makeResolver({ 'a.test': ['192.0.2.1'] });
  t.false(resolver.hasAnsweredRecently());
  await resolver.resolve('a.test');
  clock.ms = 29_999;
  t.true(resolver.hasAnsweredRecently());
  clock.ms = 30_000;
  t.false(resolver.hasAnsweredRecently());
});

for (const [text, server] of [
  ['1.1.1.1', '1.1.1.1'],
  ['1.1.1.1:53', '1.1.1.1:53'],
  ['::1', '::1'],
  ['[::1]', '[::1]'],
  ['[::1]:5353', '[::1]:5353'],
  ['dns.test', null],
  ['1.1.1', null],
  ['1.1.1.1:', null],
  ['[::1]:', null],
  ['', null],
] as const)
  test(`"${text}" is ${server === null ? 'no name server' : 'a name server'}`, t => {
    t.is(parseServer(text), server);
  });

/** A name server on loopback that refuses every query; `received` counts them. */
async function startRefusingServer() {
  const socket = createSocket('udp4');
  const state = { received: 0 };
  socket.on('message', (message, from) => {
    state.received++;
    const response = Buffer.from(message);
    // The flags: a response with recursion available and the code REFUSED.
    response.writeUInt16BE(0x8185, 2);
    socket.send(response, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const close = () => new Promise<void>(resolve => socket.close(() => resolve()));
  return { state, server: `127.0.0.1:${socket.address().port}`, [Symbol.asyncDispose]: close };
}

test('configured name servers are queried, and their codes are those of node:dns', async t => {
  await using refusing = await startRefusingServer();
  const query = queryNameServers([refusing.server]);
  await t.throwsAsync(query('a.test', 4), { code: 'EREFUSED' });
  await t.throwsAsync(query('a.test', 6), { code: 'EREFUSED' });
  await t.throwsAsync(query('', 4), { code: 'EREFUSED' });
  t.true(refusing.state.received >= 3);
});

for (const [what, answers, code, servers] of [
  ['every name', { 'a.test': 'ESERVFAIL', '': 'ESERVFAIL' }, 'ESERVFAIL', 'failing'],
  ['this name only', { 'a.test': 'ESERVFAIL', '': ['192.0.2.1'] }, 'ESERVFAIL', 'answering'],
  ['this name only, silently', { 'a.test': 'ETIMEOUT', '': ['192.0.2.1'] }, 'ETIMEOUT', 'answering'],
  ['this name silently, others with an error', { 'a.test': 'ETIMEOUT', '': 'EREFUSED' }, 'ETIMEOUT', 'failing'],
  ['every name silently', { 'a.test': 'ETIMEOUT', '': 'ETIMEOUT' }, 'ETIMEOUT', 'silent'],
  ['a name that does not exist', { '': 'ESERVFAIL' }, 'ENOTFOUND', 'answering'],
] as const)
  test(`a resolver that fails for ${what} is ${servers}`, async t => {
    const { resolver } = makeResolver(answers as Record<string, string[] | string>);
    const error = await t.throwsAsync(resolver.resolve('a.test'), { instanceOf: ResolveError, message: code });
    t.is(error.servers, servers);
  });

test('an answer from before the failing query proves nothing, and one for the same name neither', async t => {
  const answers: Record<string, string[] | string> = {
    'b.test': ['192.0.2.1'],
    '': 'ESERVFAIL',
    'a.test': ['192.0.2.1'],
  };
  const { resolver, clock } = makeResolver(answers, 0);
  await resolver.resolve('a.test');
  await resolver.resolve('b.test');
  clock.ms = 1000;
  answers['a.test'] = 'ESERVFAIL';
  t.is((await t.throwsAsync(resolver.resolve('a.test'), { instanceOf: ResolveError })).servers, 'failing');
  await resolver.resolve('b.test');
  t.is(resolver.serverState('A.test.', 1000), 'answering');
  t.is(resolver.serverState('b.test', 1000), 'failing');
});

test('a thousand names that fail at once are followed by one query for the root', async t => {
  const names = Array.from({ length: 1000 }, (_, index) => `n${index}.test`);
  const { resolver, queries } = makeResolver(Object.fromEntries([...names, ''].map(name => [name, 'ESERVFAIL'])));
  const states = await Promise.all(
    names.map(name => resolver.resolve(name).catch(error => (error as ResolveError).servers)),
  );
  t.true(states.every(state => state === 'failing'));
  t.is(queries.filter(name => name === '4 ').length, 1);
});
