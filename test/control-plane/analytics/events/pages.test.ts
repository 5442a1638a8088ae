import test from 'ava';
import fc from 'fast-check';
import { newId } from '#shared/ids.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type EventWorld, openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const baseMs = Date.now() - 3_600_000;

/** A list under test, and how a row of an instant gets into it. */
type List = { path: string; query: string; insert(world: EventWorld, atMs: number): Promise<unknown> };

const at = (ms: number) => new Date(ms).toISOString();
const lists: Record<string, List> = {
  releases: {
    path: '/v0/releases',
    query: '&environment=production',
    insert: ({ api }, atMs) => api('POST', '/v0/releases', { version: newId('rel'), released_at: at(atMs) }),
  },
  flows: {
    path: '/v0/flows',
    query: '',
    insert: async ({ api }, atMs) => {
      const { body } = await api('POST', '/v0/flows', { name: 'f', steps: [{ event: 'a' }, { event: 'b' }] });
      await withSql(databaseOf(), sql => sql.run`update flows set created_at = ${at(atMs)} where id = ${body.id}`);
    },
  },
  'a timeline with releases': {
    path: '/v0/users/u/timeline',
    query: '&types=track,release,error',
    insert: ({ api, send }, atMs) =>
      atMs % 3 === 0
        ? api('POST', '/v0/releases', { version: newId('rel'), released_at: at(atMs) })
        : send({ name: 'n', external_user_id: 'u', type: atMs % 2 === 0 ? 'track' : 'error', timestamp: at(atMs) }),
  },
};

// Few different instants, so that most rows tie; what comes on the way lands before, at and after them.
const history = fc.record({
  rows: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 14 }),
  arrivals: fc.array(fc.nat({ max: 6 }), { maxLength: 6 }),
  limit: fc.integer({ min: 1, max: 6 }),
});

for (const [name, list] of Object.entries(lists)) {
  test(`walking ${name} while rows come in shows each row that was there once, and in order`, async t => {
    for (const { rows, arrivals, limit } of fc.sample(history, 4)) {
      const world = await openEventWorld(t, databaseOf());
      const page = async (query: string) => (await world.api('GET', `${list.path}?${query}${list.query}`)).body;
      for (const row of rows) await list.insert(world, baseMs + 1 + row);
      const start = idsOf(await page('limit=200'));
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const body = await page(`limit=${limit}${cursor}`);
        seen.push(...idsOf(body));
        if (!body.pagination.has_more) break;
        cursor = `&cursor=${body.pagination.next_cursor}`;
        const next = arrivals.pop();
        if (next !== undefined) await list.insert(world, baseMs + next);
      }
      t.is(start.length, rows.length);
      t.is(new Set(seen).size, seen.length, 'no row twice');
      t.deepEqual(
        seen.filter(id => start.includes(id)),
        start,
      );
    }
  });
}

test('a cursor works with its own list and filters only', async t => {
  const world = await openEventWorld(t, databaseOf());
  for (const list of Object.values(lists)) for (let row = 0; row < 4; row++) await list.insert(world, baseMs + row);
  for (const { path, query } of Object.values(lists)) {
    const { next_cursor } = (await world.api('GET', `${path}?limit=1${query}`)).body.pagination;
    t.is((await world.api('GET', `${path}?limit=2${query}&cursor=${next_cursor}`)).status, 200);
    const others = [
      ...Object.values(lists).filter(other => other.path !== path),
      { path: '/v0/users/v/timeline', query },
    ];
    for (const other of others) {
      const answer = await world.api('GET', `${other.path}?cursor=${next_cursor}`);
      t.is(answer.body.code, 'invalid_cursor', `${path} on ${other.path}`);
    }
  }
});

function idsOf(body: { data: { id: string }[] }): string[] {
  return body.data.map(item => item.id);
}
