import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const database = useDatabase(test);

test('every name is one line, whatever it names', async t => {
  const world = await openMonitorWorld(t, database());
  const page = (await world.api('POST', '/v0/status-pages', { name: 'Page', slug: world.projectId.slice(-8) })).body;
  const component = { status_page_id: page.id };
  const flow = { window_seconds: 60, order: 'ordered', steps: [{ event: 'a' }, { event: 'b' }] };
  const bodies: [method: string, path: string, body: Record<string, unknown>, pointer?: string][] = [
    ['PATCH', '/v0/project', {}],
    ['POST', '/v0/tokens', { scopes: ['monitors:read'] }],
    ['POST', '/v0/monitors', world.body],
    ['POST', '/v0/status-pages', { slug: `x${world.projectId.slice(-8)}` }],
    ['POST', '/v0/components', component],
    ['POST', '/v0/components', { ...component, name: 'c' }, '/group'],
    ['POST', '/v0/flows', flow],
    ['POST', '/v0/flows', { ...flow, name: 'f' }, '/steps/0/name'],
    ['POST', '/v0/walls', { selector: null }],
    ['POST', '/v0/routes', { steps: [{ after_minutes: 0, channel_ids: ['chn_x'] }] }],
    ['POST', '/v0/channels', { type: 'http', config: { url: 'https://example.com/', template: '{}' } }],
    ['POST', '/v0/incidents', { severity: 'p1', status_page_id: page.id }, '/title'],
  ];
  for (const [method, path, body, pointer = '/name'] of bodies)
    for (const name of ['a\r\nb', 'a\nb', 'a\tb']) {
      const given = pointer === '/steps/0/name' ? { steps: [{ event: 'a', name }] } : { [pointer.slice(1)]: name };
      const refused = await world.api(method, path, { ...body, ...given });
      t.is(refused.status, 422, `${method} ${path}`);
      t.true(faultsOf(refused).includes(`${pointer} format`), `${path} ${JSON.stringify(refused.body.errors)}`);
    }
  t.is((await world.api('PATCH', '/v0/project', { name: '  Acme  ' })).body.name, 'Acme');
});
