import test from 'ava';
import { newIncident } from '#control-plane/dashboard/app/views/new-incident.ts';
import { componentsOf, statusPages } from '#control-plane/dashboard/app/views/status-pages.ts';
import { dispatch, fakeContext, find, textOf, textsOf } from '../descriptions.ts';
import { sampleComponent, sampleMonitor } from '../samples.ts';

const page = { id: 'sp_1', name: 'Acme', url: 'https://up.example/status/acme' };

test('the components of a page come in its order', t => {
  const components = [
    sampleComponent({ id: 'b', position: 2 }),
    sampleComponent({ id: 'x', status_page_id: 'sp_2' }),
    sampleComponent({ id: 'a', position: 1 }),
  ];
  t.deepEqual(
    componentsOf({ id: 'sp_1' }, components).map(({ id }) => id),
    ['a', 'b'],
  );
});

test('setting a status sends it and announces it by its label', async t => {
  const { context, calls, announcements } = fakeContext({
    'GET /v0/status-pages': { data: [page] },
    'GET /v0/components': { data: [sampleComponent()] },
    'GET /v0/monitors': { data: [sampleMonitor()] },
    'PATCH /v0/components/cmp_1': {},
  });
  const view = statusPages.open(context, {});
  await view.load();
  const select = find(view.render(), 'select');
  t.is(select.attributes['aria-label'], 'Status of Payments');
  dispatch(select, 'change', { currentTarget: { value: 'under_maintenance' } });
  await new Promise(setImmediate);
  t.is(calls.at(-1), 'PATCH /v0/components/cmp_1 {"status":"under_maintenance"}');
  t.deepEqual(announcements, ['Payments: Under maintenance']);
});

test('a refused status is reset in the select, and the reason is shown', async t => {
  const { context } = fakeContext({
    'GET /v0/status-pages': { data: [page] },
    'GET /v0/components': { data: [sampleComponent()] },
    'GET /v0/monitors': { data: [] },
    'PATCH /v0/components/cmp_1': new TypeError('offline'),
  });
  const view = statusPages.open(context, {});
  await view.load();
  const host = { value: 'major_outage' };
  dispatch(find(view.render(), 'select'), 'change', { currentTarget: host });
  await new Promise(setImmediate);
  t.is(host.value, 'operational');
  t.regex(textOf(view.render()), /The server cannot be reached\./);
});

test('a token that may not write sees statuses as text and no forms', async t => {
  const scopes = ['status-pages:read', 'components:read'];
  const { context, calls } = fakeContext(
    { 'GET /v0/status-pages': { data: [page] }, 'GET /v0/components': { data: [sampleComponent()] } },
    { scopes },
  );
  const view = statusPages.open(context, {});
  await view.load();
  t.deepEqual(calls, ['GET /v0/status-pages', 'GET /v0/components']);
  t.deepEqual(textsOf(view.render(), 'form'), []);
  t.true(textOf(view.render()).includes('set to Operational'));
});

test('an incident is offered only with a status page and a token that may publish', async t => {
  const answers = { 'GET /v0/status-pages': { data: [] as unknown[] }, 'GET /v0/components': { data: [] } };
  const view = newIncident.open(fakeContext(answers).context, {});
  await view.load();
  t.is(textOf(view.render()), 'Incidents are published on a status page. Create one first.');
  answers['GET /v0/status-pages'].data.push(page);
  await view.load();
  t.is(find(view.render(), 'form').attributes['aria-label'], 'New incident');
  const readOnly = newIncident.open(fakeContext(answers, { scopes: [] }).context, {});
  await readOnly.load();
  t.is(textOf(readOnly.render()), 'This token does not have permission to publish incidents.');
});
