import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
type Place = { id: string; group: string | null; position: number };

const pixel =
  'data:image/png;base64,' +
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a preview shows the page with the changes, holds its logo, and stores nothing', async t => {
  const { api, page, visit } = await openStatusWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}`;
  const changes = { name: 'Renamed <b>', locale: 'de', color: '#123456', theme: 'dark', logo: pixel };
  const { status, body } = await api('POST', `${path}/preview`, changes);
  t.is(status, 200);
  for (const part of ['lang="de"', 'Renamed &lt;b', `<img src="${pixel}"`, 'API'])
    t.true(body.html.includes(part), part);
  t.false(/<script|http-equiv/i.test(body.html));
  t.is((await api('GET', path)).body.name, 'Acme');
  t.false((await visit('GET', `/status/${page.slug}`)).body.includes('Renamed'));
  await api('PATCH', path, { logo: pixel });
  t.true((await api('POST', `${path}/preview`, {})).body.html.includes(pixel), 'the stored logo');
  t.false((await api('POST', `${path}/preview`, { logo: null })).body.html.includes('<img'));
  t.is((await api('POST', `${path}/preview`, { color: 'red' })).body.errors[0].pointer, '/color');
});

test('components are put in another order and into groups in one call, all of them or none', async t => {
  const { api, page, component } = await openStatusWorld(t, databaseOf());
  const second = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'Second' })).body;
  const order = (components: object[]) => api('POST', '/v0/components/order', { status_page_id: page.id, components });
  const places = async () =>
    (await api('GET', `/v0/components?status_page_id=${page.id}`)).body.data
      .toSorted((left: Place, right: Place) => left.position - right.position)
      .map(({ id, group }: Place) => ({ id, group }));
  const wanted = [
    { id: second.id, group: 'Shop' },
    { id: component.id, group: null },
  ];
  t.is((await order(wanted)).status, 204);
  t.deepEqual(await places(), wanted);
  t.is((await order([{ id: second.id, group: null }])).body.errors[0].pointer, '/components');
  t.is((await order([...wanted, { id: 'comp_x', group: null }])).body.errors[0].pointer, '/components/2/id');
  t.is((await order([...wanted, wanted[0] as object])).body.errors[0].pointer, '/components/2/id');
  t.deepEqual(await places(), wanted);
});

test('a page is deleted with its components only where that is asked for', async t => {
  const { api, page, component } = await openStatusWorld(t, databaseOf());
  const path = `/v0/status-pages/${page.id}`;
  t.is((await api('DELETE', path)).body.code, 'status_page_in_use');
  const { id } = (
    await api('POST', '/v0/incidents', {
      title: 'Slow',
      severity: 'p3',
      status_page_id: page.id,
      affected_components: [component.id],
      initial_update: { state: 'identified', body: 'x' },
    })
  ).body;
  t.is((await api('DELETE', `${path}?components=delete`)).body.code, 'component_in_use');
  t.is((await api('GET', `/v0/components/${component.id}`)).status, 200);
  await api('POST', `/v0/incidents/${id}/resolve`, { body: 'Over.' });
  t.is((await api('DELETE', `${path}?components=delete`)).status, 204);
  t.is((await api('GET', path)).status, 404);
  t.is((await api('GET', `/v0/components/${component.id}`)).status, 404);
});
