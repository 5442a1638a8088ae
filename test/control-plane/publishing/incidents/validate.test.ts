import test from 'ava';
import { startAheadMaxMs } from '#control-plane/publishing/incidents/incident.ts';
import { assertCapacity } from '#control-plane/publishing/incidents/limits.ts';
import { incidentFaults, startErrors } from '#control-plane/publishing/incidents/validate.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const now = Date.UTC(2026, 10, 20, 12);

const starts: [title: string, startedAt: unknown, resolvedAt: number | null, code: string | null][] = [
  ['a start in the past', now - 86_400_000, null, null],
  ['a start five minutes ahead', now + startAheadMaxMs, null, null],
  ['a start more than five minutes ahead', now + startAheadMaxMs + 1, null, 'in_future'],
  ['a start at the end', now - 1000, now - 1000, null],
  ['a start after the end', now - 999, now - 1000, 'out_of_range'],
  ['a start in the future of a resolved incident', now + startAheadMaxMs + 1, now, 'in_future'],
  ['no start', undefined, now, null],
  ['no start at all', null, now, null],
];
for (const [title, startedAt, resolvedAt, code] of starts)
  test(`${title} ${code === null ? 'is accepted' : `is refused with ${code}`}`, t => {
    const errors = startErrors(startedAt, resolvedAt, now);
    t.deepEqual(
      errors.map(error => error.code),
      code === null ? [] : [code],
    );
    t.true(errors.every(error => 'pointer' in error && error.pointer === '/started_at'));
  });

test.serial('each component that is not of the page is reported at its own pointer', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const other = (await world.api('POST', '/v0/status-pages', { name: 'Other', slug: `other-${world.page.slug}` })).body;
  const elsewhere = (await world.api('POST', '/v0/components', { status_page_id: other.id, name: 'API' })).body;
  const scope = { projectId: world.projectId, statusPageId: world.page.id, resolvedAt: null };
  const fields = { affected_components: ['comp_none', world.component.id, elsewhere.id], started_at: now + 1e9 };
  const errors = await withSql(databaseOf(), sql => incidentFaults(sql, scope, fields, now));
  t.deepEqual(
    errors.map(error => ['pointer' in error ? error.pointer : null, error.code]),
    [
      ['/affected_components/0', 'unknown_reference'],
      ['/affected_components/2', 'unknown_reference'],
      ['/started_at', 'in_future'],
    ],
  );
});

const sizes: [updates: number, characters: number, bodyLength: number, fits: boolean][] = [
  [0, 0, 25_000, true],
  [499, 0, 1, true],
  [500, 0, 1, false],
  [10, 249_999, 1, true],
  [10, 249_999, 2, false],
  [10, 250_000, 1, false],
];
for (const [updates, characters, length, fits] of sizes)
  test(`an update of ${length} characters ${fits ? 'fits' : 'does not fit'} after ${updates} with ${characters}`, t => {
    const assert = () => assertCapacity({ updates, characters }, 'x'.repeat(length));
    if (fits) t.notThrows(assert);
    else t.throws(assert, { message: /./ });
  });
