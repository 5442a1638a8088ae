import test from 'ava';
import fc from 'fast-check';
import { commonFactsOf, joinFacts, joinTimings, ownFactsOf } from '#control-plane/monitoring/checks/storage/facts.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { diagnosisKinds } from '#shared/checks/diagnosis.ts';
import { type Facts, factsSchema } from '#shared/checks/facts.ts';
import { kindsOfResults, resultOf } from '#test/bench/load/results-of-kinds.ts';

const text = fc.string({ maxLength: 20 });
const ms = fc.option(fc.nat(10_000), { nil: null });
const answers = fc.array(
  fc.record({ name: text, type: fc.constantFrom('A', 'MX'), ttl: fc.nat(4_294_967_295), data: text }),
  { maxLength: 30 },
);
/** As servers answer: the records of a name and type have the same. */
const records = fc.tuple(fc.nat(3), fc.nat(47), fc.nat(4_294_967_295)).map(([aliases, count, ttl]) =>
  Array.from({ length: aliases + count }, (_, index) => ({
    name: 'example.com',
    type: index < aliases ? 'CNAME' : 'A',
    ttl: index < aliases ? index : ttl,
    data: `192.0.2.${index}`,
  })),
);
const servers = fc.array(
  fc.record({ server: text, rcode: fc.option(fc.constant('NOERROR'), { nil: null }), agrees: fc.boolean() }),
  { maxLength: 3 },
);
const dns = fc.record({
  server: text,
  rcode: text,
  answers: fc.oneof(answers, records),
  truncated: fc.boolean(),
  servers,
});
const ping = fc.record({
  sent: fc.nat(10),
  received: fc.nat(10),
  min_ms: ms,
  avg_ms: ms,
  max_ms: ms,
  jitter_ms: ms,
});
const websocket = fc.record({ subprotocol: fc.option(text, { nil: null }), messages: fc.nat(20) });
const grpc = fc.record({ status: fc.constantFrom('SERVING' as const, null), code: fc.nat(16) });
const diagnosis = fc.record({
  kind: fc.constantFrom(...diagnosisKinds),
  provider: fc.option(text, { nil: null }),
  confidence: fc.constantFrom('certain' as const, 'likely' as const),
  rules: fc.integer({ min: 1, max: 9 }),
});
const measured = fc.oneof(
  ms,
  fc.nat(4_000_000).map(value => value / 1000),
);
const address = fc.record({ address: text, ok: fc.boolean(), error_code: fc.constant('timeout'), ms: measured });
const addresses = fc.array(address, { maxLength: 16 }).map(list => ({
  at: '2026-11-27T08:00:00.000Z',
  total: list.length,
  answering: list.filter(({ ok }) => ok).length,
  list,
}));
const facts: fc.Arbitrary<Facts> = fc.oneof(
  fc.record({ dns, ping }),
  fc.record({ dns }),
  fc.record({ ping }),
  fc.record({ websocket }),
  fc.record({ grpc }),
  fc.record({ diagnosis }),
  fc.record({ addresses }),
  fc.record({ http_version: fc.constantFrom('1.0' as const, '1.1' as const, '2' as const) }),
);
const timings = { dns_ms: 1, connect_ms: 2, tls_ms: 3, first_byte_ms: null, download_ms: null };

test('facts come back as they were, and the part for the template has no number that differs each time', t => {
  fc.assert(
    fc.property(facts, seen => {
      if (!factsSchema.safeParse(seen).success) return;
      const result = { facts: seen, timings };
      const common = JSON.parse(JSON.stringify({ value: commonFactsOf(result) })).value;
      const own = JSON.parse(JSON.stringify({ value: ownFactsOf(result) })).value;
      t.deepEqual(joinFacts(common, own), seen);
      t.notRegex(JSON.stringify(common ?? {}), /"(?:ttl|messages|ms|at)":/);
    }),
  );
});

test('a result without facts has none in either part', t => {
  const http = { timings, facts: undefined };
  t.is(commonFactsOf(http), undefined);
  t.is(ownFactsOf(http), undefined);
  t.is(joinFacts(undefined, undefined), undefined);
});

test('a diagnosis stands in the template alone', t => {
  const login = { kind: 'login', provider: null, confidence: 'likely', rules: 1 } as const;
  t.is(ownFactsOf({ facts: { diagnosis: login }, timings }), undefined);
});

test('the talk before TLS stands beside the packed timings', t => {
  const own = ownFactsOf({ timings: { ...timings, starttls_ms: 4.5, proxy_ms: 2, auth_ms: 9 } });
  t.deepEqual(joinTimings(timings, own), { ...timings, starttls_ms: 4.5, proxy_ms: 2, auth_ms: 9 });
  t.deepEqual(joinTimings(timings, undefined), timings);
  t.is(joinTimings(null, own), null);
});

test('a good ping takes less than 60 bytes beside its template, an answer of four addresses less than 40', t => {
  const bytes = (seen: Facts) => JSON.stringify({ own: ownFactsOf({ facts: seen, timings: null }) }).length;
  const figures = { sent: 3, received: 3, min_ms: 10.123, avg_ms: 12.345, max_ms: 15.678, jitter_ms: 2.345 };
  t.true(bytes({ ping: figures }) < 60);
  const record = { name: 'example.com', type: 'A', ttl: 300, data: '192.0.2.1' };
  const answer = { server: '1.1.1.1:53', rcode: 'NOERROR', truncated: false, servers: [] };
  t.true(bytes({ dns: { ...answer, answers: [record, record, record, record] } }) < 40);
});

test('what is good of any kind takes at most 150 bytes beside its template, and 40 more a step', t => {
  for (const kind of kindsOfResults)
    for (let at = 0; at < 20; at++) {
      const { detail, metrics, template } = divided(kind, at);
      t.not(template, null, kind.name);
      const bytes = Buffer.byteLength(detail) + (metrics?.length ?? 0);
      t.true(bytes <= (kind.bytesMax ?? 22), `${kind.name}: ${bytes}`);
    }
});

/** The parts of a result that is stored when its monitor has as many templates as make what was found move out. */
function divided(kind: (typeof kindsOfResults)[number], at: number) {
  const dictionary = new TemplateDictionary();
  for (let earlier = 0; earlier < 20; earlier++)
    dictionary.remember(dictionary.divide([resultOf(kind, 'mon_1', 'region-a', earlier)]).templates);
  const [part] = dictionary.divide([resultOf(kind, 'mon_1', 'region-a', 20 + at)]).parts;
  if (part === undefined) throw new Error('each result has parts');
  return part;
}
