import test from 'ava';
import { ApiProblem } from '#control-plane/dashboard/app/data/api.ts';
import type { Promotion } from '#control-plane/dashboard/app/data/api-types.ts';
import { createPromoteDialog, renderPreview } from '#control-plane/dashboard/app/parts/promote-dialog.ts';
import { dispatch, fakeContext, find, textOf, textsOf } from '../descriptions.ts';
import { sampleAlert, sampleIncident } from '../samples.ts';

const promotion: Promotion = {
  title: 'Shop is down',
  severity: 'p1',
  impact: 'major',
  status_page_id: 'sp_1',
  affected_components: ['cmp_1'],
  components: [{ id: 'cmp_1', name: 'Payments' }],
  initial_update: { state: 'investigating', body: 'Checks of **Shop** have been failing.' },
  status_pages: [{ id: 'sp_1', name: 'Acme' }],
  incident_id: null,
};

test('the preview shows title, impact, components and the first update', t => {
  t.is(
    textOf(renderPreview(promotion)),
    'Only this will be published and sent to subscribers:Shop is down' +
      'Impact: Major outage. Affected components: Payments.' +
      'First update (Investigating), in Markdown:Checks of **Shop** have been failing.',
  );
  t.regex(textOf(renderPreview({ ...promotion, components: [] })), /Affected components: none\./);
});

test('publishing sends what was previewed and leads to the incident', async t => {
  const { dialog, calls, addresses, announcements } = await openDialog({
    'GET /v0/alerts/alr_1/promotion': promotion,
    'POST /v0/alerts/alr_1/promote': sampleIncident(),
  });
  await submit(dialog.render());
  t.deepEqual(calls.slice(1), ['POST /v0/alerts/alr_1/promote {"severity":"p1","status_page_id":"sp_1"}']);
  t.deepEqual(addresses, ['#/incidents/inc_1']);
  t.deepEqual(announcements, ['Incident published']);
  t.is(dialog.render(), null);
});

test('an alert that another operator published first leads to that incident', async t => {
  const body = { code: 'alert_already_promoted', incident_id: 'inc_9' };
  const { dialog, addresses, announcements } = await openDialog({
    'GET /v0/alerts/alr_1/promotion': promotion,
    'POST /v0/alerts/alr_1/promote': new ApiProblem(409, body),
  });
  await submit(dialog.render());
  t.deepEqual(addresses, ['#/incidents/inc_9']);
  t.deepEqual(announcements, []);
});

test('a failed publication keeps the dialog open and shows why', async t => {
  const { dialog, addresses } = await openDialog({
    'GET /v0/alerts/alr_1/promotion': promotion,
    'POST /v0/alerts/alr_1/promote': new ApiProblem(422, { detail: 'the page was deleted' }),
  });
  await submit(dialog.render());
  t.deepEqual(addresses, []);
  t.regex(textOf(dialog.render()), /The page was deleted\./);
});

test('an alert without components can be published on any page, once one is chosen', async t => {
  const { dialog, calls } = await openDialog({
    'GET /v0/alerts/alr_1/promotion': { ...promotion, status_page_id: null, status_pages: [] },
    'GET /v0/status-pages': { data: [{ id: 'sp_2', name: 'Status' }] },
  });
  const content = dialog.render();
  t.deepEqual(textsOf(content, 'option').slice(0, 2), ['Choose a page', 'Status']);
  t.true(find(content, 'button', 'Publish').attributes.disabled);
  dispatch(find(content, 'select'), 'change', { currentTarget: { value: 'sp_2' } });
  await new Promise(setImmediate);
  t.is(calls[2], 'GET /v0/alerts/alr_1/promotion {"severity":"p1","status_page_id":"sp_2"}');
});

test('without any status page the dialog asks to create one', async t => {
  const { dialog } = await openDialog({
    'GET /v0/alerts/alr_1/promotion': { ...promotion, status_page_id: null, status_pages: [] },
    'GET /v0/status-pages': { data: [] },
  });
  t.regex(textOf(dialog.render()), /There are no status pages yet\. Create one first\./);
});

async function openDialog(answers: Record<string, unknown>) {
  const fake = fakeContext(answers);
  const dialog = createPromoteDialog(fake.context);
  dialog.open(sampleAlert());
  await new Promise(setImmediate);
  return { ...fake, dialog };
}

/** Submits the form. Node's FormData takes no form; this dialog reads none of its fields. */
async function submit(content: Parameters<typeof find>[0]): Promise<void> {
  const original = globalThis.FormData;
  globalThis.FormData = class extends original {
    constructor(_form?: unknown) {
      super();
    }
  };
  try {
    dispatch(find(content, 'form'), 'submit', { preventDefault: () => undefined, currentTarget: {} });
  } finally {
    globalThis.FormData = original;
  }
  await new Promise(setImmediate);
}
