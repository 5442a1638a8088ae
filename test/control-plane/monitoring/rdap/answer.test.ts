import test from 'ava';
import fc from 'fast-check';
import { readAnswer } from '#control-plane/monitoring/rdap/answer.ts';
import { readBootstrap, registryOf } from '#control-plane/monitoring/rdap/bootstrap.ts';
import { isBootstrapDue } from '#control-plane/monitoring/rdap/fetch-bootstrap.ts';
import { registrableOf } from '#control-plane/monitoring/rdap/registrable.ts';
import { domainFactsSchema } from '#shared/checks/facts.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { bootstrapFile, verisign, withOrganisation, withoutEnd } from '#test/support/rdap-answers.ts';

const server = 'rdap.example';

test('an answer of a registry gives registrar, statuses and dates; what it leaves out is null', t => {
  t.deepEqual(readAnswer(JSON.stringify(verisign), 'example.com', server), {
    name: 'example.com',
    registrar: 'Example Registrar, Inc.',
    statuses: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
    ends_at: '2027-08-13T04:00:00.000Z',
    registered_at: '1995-08-14T04:00:00.000Z',
    server,
  });
  t.deepEqual(readAnswer(JSON.stringify(withoutEnd), 'example.de', server), {
    name: 'example.de',
    registrar: null,
    statuses: ['active'],
    ends_at: null,
    registered_at: null,
    server,
  });
  t.like(readAnswer(JSON.stringify(withOrganisation), 'example.fr', server), {
    registrar: 'Exemple SAS',
    statuses: ['active'],
    ends_at: '2027-01-31T23:30:00.000Z',
  });
});

test('what is no answer about the domain is none', t => {
  const others: unknown[] = [
    '<html>',
    null,
    [],
    {},
    { objectClassName: 'entity', ldhName: 'example.com' },
    { ...verisign, ldhName: 'example.net' },
    { errorCode: 404, title: 'Not Found' },
  ];
  for (const other of others)
    t.is(readAnswer(typeof other === 'string' ? other : JSON.stringify(other), 'example.com', server), null);
});

test('odd members of an answer cost what they say, not the answer', t => {
  const odd = {
    objectClassName: 'domain',
    ldhName: 'xn--mnchen-3ya.de',
    status: [7, null, 'a\u0000b', 'x'.repeat(500), ...Array.from({ length: 50 }, (_, index) => `s${index}`)],
    events: [null, { eventAction: 7 }, { eventAction: 'expiration', eventDate: 'soon' }, 'x'],
    entities: [null, { roles: ['registrar'], vcardArray: 'none', handle: 'REG\u202e\n1' }],
  };
  const facts = readAnswer(JSON.stringify(odd), 'xn--mnchen-3ya.de', server);
  t.like(facts, { ends_at: null, registrar: 'REG 1' });
  t.is(facts?.statuses.length, 20);
  t.true(facts?.statuses.includes('a b'));
});

test('whatever JSON a server sends, what is stored of it fits', t => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue(), fc.jsonValue(), (status, events, entities) => {
      const text = JSON.stringify({ objectClassName: 'domain', status, events, entities });
      const facts = readAnswer(text, 'example.com', server);
      if (facts !== null) domainFactsSchema.parse(facts);
    }),
  );
  t.pass();
});

test('the bootstrap file names a server by the longest suffix, over HTTPS where it has the choice', t => {
  const file = bootstrapFile({
    'com net': ['http://rdap.example/com', 'https://rdap.example/com'],
    uk: ['https://uk.example/'],
    'co.uk': ['https://co.example'],
    gone: ['ftp://gone.example/', 'nothing'],
  });
  const registries = readBootstrap(file);
  const serverOf = (name: string) => registryOf(registries ?? new Map(), name);
  t.is(serverOf('example.net'), 'https://rdap.example/com/');
  t.is(serverOf('example.co.uk'), 'https://co.example/');
  t.is(serverOf('example.org.uk'), 'https://uk.example/');
  t.is(serverOf('example.gone'), null);
  for (const other of ['', '[]', '{"services":[]}', '{"services":[[["com"],["nothing"]]]}', '<html>'])
    t.is(readBootstrap(other), null, other);
});

test('the registrable name follows the public suffixes of ICANN alone', t => {
  const cases: [string, string | null][] = [
    ['www.example.co.uk', 'example.co.uk'],
    ['Example.COM.', 'example.com'],
    ['a.github.io', 'github.io'],
    ['a.b.xn--p1ai', 'b.xn--p1ai'],
    ['example.newtld', 'example.newtld'],
    ['co.uk', null],
    ['com', null],
    ['localhost', null],
    ['192.0.2.1', null],
    ['2001:db8::1', null],
  ];
  for (const [host, name] of cases) t.is(registrableOf(host), name, host);
});

test('statuses that say that the registration ended are never among those that are cut', t => {
  const many = Array.from({ length: 40 }, (_, index) => `a status ${index}`);
  const answer = { ...verisign, status: [...many, 'Redemption Period', 'pending delete'] };
  const facts = readAnswer(JSON.stringify(answer), 'example.com', server);
  t.is(facts?.statuses.length, 20);
  t.true(facts?.statuses.includes('redemption period') && facts.statuses.includes('pending delete'));
});

test('the bootstrap file is read once a day, after a failure each hour, and soon if there was never one', t => {
  const url = 'https://iana.example/dns.json';
  const isDue = (fetchedAt: number | null, triedAt: number, asked = url) =>
    isBootstrapDue({ url, fetchedAt, triedAt, registries: new Map() }, asked, 10 * dayMs);
  t.true(isBootstrapDue(null, url, 0));
  t.false(isDue(9.5 * dayMs, 9.5 * dayMs));
  t.true(isDue(9.5 * dayMs, 9.5 * dayMs, 'https://other.example/'));
  t.true(isDue(8 * dayMs, 10 * dayMs - hourMs));
  t.false(isDue(8 * dayMs, 10 * dayMs - minuteMs));
  t.true(isDue(null, 10 * dayMs - minuteMs));
});
