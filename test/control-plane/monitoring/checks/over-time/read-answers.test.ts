import test from 'ava';
import fc from 'fast-check';
import { readAnswers } from '#control-plane/monitoring/checks/over-time/read-answers.ts';
import { instant, type Sql } from '#control-plane/platform/db/sql.ts';
import { dayOf, minuteMs } from '#shared/duration.ts';
import { withSeries } from '#test/bench/load/with-series.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const start = dayOf(Date.now());

const answers = (data: string[], ttl: number) => data.map(each => ({ name: 'a.example', type: 'A', ttl, data: each }));
const dnsOf = (rcode: string, data: string[], ttl: number) => ({
  ...{ server: '192.0.2.53:53', rcode, truncated: false, servers: [] },
  answers: answers(data, ttl),
});
/** Two of them are the same set. */
const kinds = {
  none: null,
  both: dnsOf('NOERROR', ['192.0.2.1', '192.0.2.2'], 60),
  turned: dnsOf('NOERROR', ['192.0.2.2', '192.0.2.1'], 59),
  other: dnsOf('NOERROR', ['192.0.2.3'], 60),
  missing: dnsOf('NXDOMAIN', [], 0),
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];

const resultArbitrary = fc.record({
  region: fc.constantFrom('a', 'b', 'c'),
  at: fc.integer({ min: 0, max: 11 }).map(minute => start + minute * minuteMs),
  attempt: fc.constantFrom(1, 2),
  kind: fc.constantFrom(...names),
  hasTemplate: fc.boolean(),
});
type Result = typeof resultArbitrary extends fc.Arbitrary<infer Value> ? Value : never;
const resultsArbitrary = fc.uniqueArray(resultArbitrary, {
  selector: ({ region, at, attempt }) => `${at} ${attempt} ${region}`,
  maxLength: 40,
});

test('reading from the newest result back finds what one walk over all results finds', async t => {
  await withSeries(database(), async (sql, series) => {
    await series.ensure('check_results', [start]);
    await series.ensure('check_shapes', [start]);
    let number = 0;
    const isSame = async (results: readonly Result[], atOnce: number, max: number) => {
      number += 1;
      const monitorId = `mon_${number}`;
      await store(sql, monitorId, results);
      const range = { monitorId, fromMs: start, toMs: start + 12 * minuteMs };
      t.deepEqual(await readAnswers(sql, range, { type: 'A', max, atOnce }), walk(results, max));
    };
    const sizes = fc.integer({ min: 1, max: 12 });
    await fc.assert(fc.asyncProperty(resultsArbitrary, sizes, fc.integer({ min: 1, max: 9 }), isSame), { numRuns: 25 });
  });
});

test('older results are not read once they would not change the answer', async t => {
  await withSeries(database(), async (sql, series) => {
    await series.ensure('check_results', [start]);
    await series.ensure('check_shapes', [start]);
    const result = (minute: number): Result => ({
      ...{ region: 'a', at: start + minute * minuteMs, attempt: 1, hasTemplate: false },
      kind: minute % 2 === 0 ? 'both' : 'other',
    });
    await store(
      sql,
      'mon_changing',
      Array.from({ length: 12 }, (_, minute) => result(minute)),
    );
    let statements = 0;
    const counted: Sql = {
      ...sql,
      rows: async <Row>(...given: Parameters<Sql['rows']>) => {
        statements += 1;
        return (await Reflect.apply(sql.rows, sql, given)) as Row[];
      },
    };
    const range = { monitorId: 'mon_changing', fromMs: start, toMs: start + 12 * minuteMs };
    const { sets } = await readAnswers(counted, range, { type: 'A', max: 2, atOnce: 4 });
    t.deepEqual([sets.length, statements], [2, 2]);
  });
});

/** The rule, without slices. */
function walk(results: readonly Result[], max: number) {
  const key = ({ at, attempt, region }: Result) => `${at} ${attempt} ${region}`;
  const latest = new Map<string, { key: string; set: { last_at: number } | null }>();
  const sets: { region: string; first_at: number; last_at: number }[] = [];
  for (const { region, at, kind } of results.toSorted((left, right) => (key(left) < key(right) ? -1 : 1))) {
    const dns = kinds[kind];
    const found =
      dns === null
        ? null
        : { rcode: dns.rcode, type: 'A', records: dns.answers.map(({ data }) => data).sort(), truncated: false };
    const before = latest.get(region);
    if (before?.key === JSON.stringify(found)) {
      if (before.set !== null) before.set.last_at = at;
      continue;
    }
    const set = found === null ? null : { region, first_at: at, last_at: at, ...found };
    if (set !== null) sets.push(set);
    latest.set(region, { key: JSON.stringify(found), set });
  }
  const left = sets.slice(0, -max).map(({ last_at }) => last_at);
  return { sets: sets.slice(-max), completeFromMs: left.length === 0 ? null : Math.max(...left) + 1 };
}

async function store(sql: Sql, monitorId: string, results: readonly Result[]): Promise<void> {
  const factsOf = (kind: Result['kind']) => (kinds[kind] === null ? {} : { facts: { dns: kinds[kind] } });
  const shapes = names.map((kind, hash) => ({ hash, shape: factsOf(kind) }));
  await sql.run`
    insert into check_shapes (monitor_id, day, hash, shape)
    select ${monitorId}, ${instant(start)}::timestamptz, hash, shape
    from json_to_recordset(${JSON.stringify(shapes)}::json) as given (hash bigint, shape json)`;
  const rows = results.map(({ kind, hasTemplate, at, ...row }) => ({
    ...row,
    at: new Date(at).toISOString(),
    shape: hasTemplate ? names.indexOf(kind) : null,
    detail: hasTemplate ? {} : factsOf(kind),
  }));
  await sql.run`
    insert into check_results (
      monitor_id, scheduled_at, region, kind, attempt, status, agent_id, config_version, started_at, completed_at,
      received_at, detail, shape
    )
    select ${monitorId}, at, region, 'scheduled', attempt, 'ok', '', 1, at, at, at, detail, shape
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as given (region text, at timestamptz, attempt smallint, detail json, shape bigint)`;
}
