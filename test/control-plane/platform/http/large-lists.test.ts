import test from 'ava';
import fc from 'fast-check';
import { pageInPortions } from '#control-plane/platform/http/endpoint/pagination.ts';
import type { Api } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const mebibyte = 1_048_576;

/** The sizes of all pages and the ids on them. */
async function readAll(api: Api, path: string): Promise<{ bytes: number[]; ids: string[] }> {
  const all = { bytes: [] as number[], ids: [] as string[] };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api('GET', `${path}?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.bytes.push(Buffer.byteLength(JSON.stringify(body)));
    all.ids.push(...body.data.map((item: { id: string }) => item.id));
    cursor = body.pagination.next_cursor as string | null;
  }
  return all;
}

test.serial('a page of large monitors ends at a mebibyte, and the cursor leads to the rest', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const made: string[] = [];
  for (let index = 0; index < 25; index++) {
    const large = { method: 'POST', body: 'x'.repeat(65_000), headers: { a: 'y'.repeat(8000) }, name: `m${index}` };
    made.push((await world.post(large)).body.id);
  }
  const { bytes, ids } = await readAll(world.api, '/v0/monitors');
  t.deepEqual(ids, made.toReversed());
  t.true(bytes.length >= 2);
  for (const size of bytes) t.true(size < mebibyte + 1000, `${size} bytes`);
});

test.serial('a page of long incidents ends at a mebibyte, and the cursor leads to the rest', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const made: string[] = [];
  for (let index = 0; index < 7; index++) {
    const incident = { title: `i${index}`, severity: 'p3', status_page_id: world.page.id };
    const { id } = (await world.api('POST', '/v0/incidents', incident)).body;
    made.push(id);
    for (let update = 0; update < 8; update++)
      await world.api('POST', `/v0/incidents/${id}/updates`, { state: 'monitoring', body: 'x'.repeat(25_000) });
  }
  const { bytes, ids } = await readAll(world.api, '/v0/incidents');
  t.deepEqual([...ids].sort(), [...made].sort());
  t.true(bytes.length >= 2);
  for (const size of bytes) t.true(size < mebibyte + 1000, `${size} bytes`);
});

test('pages of rows of any size: each row once and in order, none empty, little read in vain', async t => {
  const sizes = fc.array(fc.oneof(fc.nat(100), fc.integer({ min: 1, max: 2_000_000 })), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, limit, most) => {
        const rows = all.map((size, index) => ({ id: index, text: 'x'.repeat(size) }));
        const seen: number[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const query = { limit, cursor: cursor ?? undefined };
          let readBytes = 0;
          const { data, pagination } = await pageInPortions(
            async portion => {
              if (readBytes > mebibyte) throw new Error('read although the page is full');
              const from = portion.after === null ? 0 : portion.after[0] + 1;
              const read = rows.slice(from, from + portion.limit + 1);
              if (read.length > most) throw new Error('more than a portion');
              // The first row is always shown.
              readBytes += read.slice(readBytes === 0 ? 1 : 0).reduce((sum, row) => sum + row.text.length, 0);
              return read;
            },
            { name: 'rows', query, keyOf: row => [row.id, 'x'], show: row => row },
            most,
          );
          if (data.length > limit || (data.length === 0 && rows.length > 0))
            throw new Error('a page of no or many rows');
          const bytes = data.reduce((sum, row) => sum + row.text.length, 0);
          if (data.length > 1 && bytes > mebibyte) throw new Error('a page of too many bytes');
          seen.push(...data.map(row => row.id));
          cursor = pagination.next_cursor;
        }
        return JSON.stringify(seen) === JSON.stringify(rows.map(row => row.id));
      },
    ),
    { numRuns: 60 },
  );
  t.pass();
});
