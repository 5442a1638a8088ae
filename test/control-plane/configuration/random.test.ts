import test from 'ava';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { minuteMs } from '#shared/duration.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { documentsOf, filesOf } from './random-documents.ts';

const databaseOf = useDatabase(test);
const env = { HOOK: 'https://hooks.example.com/very-secret', TOKEN: 'Bearer very-secret' };

test('of random documents nothing is left to do after their apply, however they are split into files', async t => {
  const { api, url, token, regions, projectId } = await openMonitorWorld(t, databaseOf());
  const plan = async (documents: unknown, options = {}) => {
    const planned = await api('POST', '/v0/config/plan', { documents, env, backtest: 'none', ...options });
    if (planned.status !== 200) throw new Error(JSON.stringify(planned.body));
    return planned.body;
  };
  const apply = async ({ id, counts }: { id: string; counts: { delete: number } }) => {
    const applied = await api('POST', '/v0/config/apply', { plan_id: id, expected_deletes: counts.delete });
    if (applied.status !== 200) throw new Error(JSON.stringify(applied.body));
  };
  const newest = async () => (await api('GET', '/v0/audit?limit=1')).body.data[0].id;
  const isSettled = async (documents: unknown, values: object, count: number) => {
    const planned = await plan(documents, { prune: true, ...values });
    t.deepEqual(planned.actions, [], stringify(documents));
    t.is(planned.counts.unchanged, count);
    return planned;
  };
  const cases = documentsOf(regions.slice(0, 3), projectId.slice(-8));
  const property = fc.asyncProperty(cases, fc.array(fc.nat(4), { minLength: 1 }), async (document, picks) => {
    t.timeout(5 * minuteMs);
    const whole = [{ path: 'upquorum.yaml', text: stringify(document) }];
    const planned = await plan(whole, { prune: true });
    t.is(planned.counts.conflict, 0, JSON.stringify(planned));
    await apply(planned);
    const { create, update, unchanged } = planned.counts;
    const count = create + update + unchanged;
    const last = await newest();
    await apply(await isSettled(whole, {}, count));
    t.is(await newest(), last, 'an apply without changes writes nothing');
    await isSettled(filesOf(document, picks), {}, count);
    const response = await fetch(`${url}/v0/config/export?manager=random`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    t.false(text.includes('very-secret'), text);
    const names = [...text.matchAll(/\$env: (\w+)/g)].map(([, name = '']) => name);
    const values = Object.fromEntries(names.map(name => [name, name.startsWith('CHANNELS') ? env.HOOK : env.TOKEN]));
    await isSettled([{ path: 'export.yaml', text }], { env: values }, count);
  });
  await fc.assert(property, { numRuns: isFull ? 200 : 4, endOnFailure: true, includeErrorInReport: true });
});
