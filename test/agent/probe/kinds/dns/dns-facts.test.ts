import test from 'ava';
import fc from 'fast-check';
import { factsWithin } from '#agent/probe/kinds/dns/dns-facts.ts';
import { factsBytesMax, factsSchema } from '#shared/checks/facts.ts';

const about = { server: '192.0.2.53:53', servers: [] };
const a = (data: string) => ({ name: 'www.example', type: 1, ttl: 60, data });
const alias = { name: 'example', type: 5, ttl: 60, data: 'www.example' };

test('the aliases come first, then the records in the order of their data', t => {
  const facts = factsWithin({ rcode: 'NOERROR', records: [alias, a('192.0.2.2'), a('192.0.2.1')] }, 1, about);
  t.deepEqual(
    facts.answers.map(({ type, data }) => `${type} ${data}`),
    ['CNAME www.example', 'A 192.0.2.1', 'A 192.0.2.2'],
  );
  t.false(facts.truncated);
});

test('records go before aliases, and of many as many are kept as there is room for', t => {
  const records = Array.from({ length: 60 }, (_, index) => a(`192.0.2.${index}`));
  const facts = factsWithin({ rcode: 'NOERROR', records: [alias, ...records] }, 1, about);
  t.is(facts.answers.length, 50);
  t.true(facts.answers.every(({ type }) => type === 'A'));
  t.true(facts.truncated);
});

test('a record that is too long for a result is left out', t => {
  const facts = factsWithin({ rcode: 'NOERROR', records: [a('x'.repeat(5000)), a('192.0.2.1')] }, 1, about);
  t.like(facts, { answers: { length: 1 }, truncated: true });
});

test('whatever a server answers, the facts fit a result', t => {
  const text = (maxLength: number) =>
    fc.string({ maxLength, unit: fc.constantFrom('a', '"', '\\', '\u0001', 'é', '€') });
  const record = fc.record({
    name: text(1100),
    type: fc.constantFrom(1, 5, 39, 65_000),
    ttl: fc.nat(4_294_967_295),
    data: text(4500),
  });
  const servers = fc.array(
    fc.record({ server: text(320), rcode: fc.constantFrom(null, 'NOERROR'), agrees: fc.boolean() }),
    { maxLength: 7 },
  );
  fc.assert(
    fc.property(fc.array(record, { maxLength: 80 }), servers, (records, others) => {
      const dns = factsWithin({ rcode: 'NOERROR', records }, 1, { server: 'dns.test:53', servers: others });
      t.true(Buffer.byteLength(JSON.stringify({ dns })) <= factsBytesMax);
      t.true(factsSchema.safeParse({ dns }).success);
      t.is(dns.truncated, dns.answers.length < records.length);
    }),
  );
});
