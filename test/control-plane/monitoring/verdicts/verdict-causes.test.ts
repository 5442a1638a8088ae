import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const database = useDatabase(test);

type Row = { verdict: string; since: string; decided_at: string | null; cause: string | null; quorum: number | null };

test('every row of a history says what decided it, and when: the first one and those of a revival, too', async t => {
  const world = await openMonitorWorld(t, database());
  const { id } = (await world.post({ quorum: 2 })).body;
  const rowsOf = async (monitor: string): Promise<Row[]> =>
    (await world.api('GET', `/v0/monitors/${monitor}/verdicts`)).body.data;
  const [first] = await rowsOf(id);
  t.like(first, { verdict: 'pending', cause: 'configuration', decided_at: first?.since, quorum: 2 });
  await world.api('POST', `/v0/monitors/${id}/pause`);
  await world.api('POST', `/v0/monitors/${id}/resume`);
  await world.api('DELETE', `/v0/monitors/${id}`);
  const revived = (await world.post({ quorum: 2 })).body;
  t.is(revived.id, id);
  const rows = await rowsOf(id);
  t.deepEqual(
    rows.map(row => [row.verdict, row.cause, row.decided_at === row.since, row.quorum]),
    ['pending', 'deleted', 'pending', 'paused', 'pending'].map(verdict => [verdict, 'configuration', true, 2]),
  );
  const paused = (await world.post({ name: 'p', enabled: false })).body;
  t.like((await rowsOf(paused.id))[0], { verdict: 'paused', cause: 'configuration', quorum: 2 });
});
