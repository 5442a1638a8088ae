import test from 'ava';
import type { Page } from 'playwright-core';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import { useBrowser } from '#test/support/browser.ts';
import { type Api, apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent } from '#test/support/fake-agent.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

/** As the API stores them: no table holds NUL or a lone surrogate. */
const payloads = scriptPayloads.map(payload => payload.toWellFormed().replaceAll('\0', '\ufffd').trim());

/** A document without an origin. */
const preview = 'iframe[src="/dashboard/preview"][sandbox="allow-scripts"]';
/** Elements and attributes that no text may become. */
const forbiddenElements = [
  `iframe:not(${preview})`,
  'script, img, object, embed, base, meta, link, style, video, audio, math, foreignObject, animate',
  '[style]:not(.plot *, .monitor-rows, .monitor-slice, .meter-bar *, .funnel-bar, .sparks *)' +
    `:not(.user-rows *, ${preview}), [srcdoc], [onerror], [onload]`,
  'a[href^="javascript" i], a[href^="data" i]',
].join(', ');

test('S8: no text becomes an element or runs, in any view', async t => {
  const secrets = await createRegions(databaseOf(), ['eu']);
  const { token, projectId } = await createTenant(databaseOf());
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const { pageId, monitorIds, incidentId } = await seed(api);
  await withSql(databaseOf(), async sql => {
    for (const [index, payload] of payloads.entries()) {
      const reason = {
        summary: payload,
        region: payload,
        expected: payload,
        actual: payload,
        status_code: 500,
        error_code: payload,
      };
      const alert = {
        projectId,
        monitorId: monitorIds[index % monitorIds.length] ?? '',
        title: payload,
        severity: 'p1',
        regionsFailing: [payload],
        regions: [payload],
        quorum: 1,
        reason,
        labels: {},
        openedAt: Date.now(),
        kind: 'down' as const,
        rulesVersion: 1,
        startedAt: Date.now(),
      };
      await insertAlert(sql, alert, Date.now());
    }
  });
  const agent = await connectFakeAgent(replica.url, secrets.eu?.secret ?? '');
  t.teardown(() => agent[Symbol.asyncDispose]());
  const results = payloads.flatMap((payload, index) =>
    badResults(monitorIds[0] ?? '', Date.now() - 60_000 - index * 100, {
      error: { code: 'protocol_error', message: payload },
      assertions: [{ index: 0, type: 'header', passed: false, expected: payload, actual: payload }],
      remote_ip: payload.slice(0, 60),
    }).slice(0, 1),
  );
  t.deepEqual(await agent.report(results), []);

  const flowId = await seedEvents(api);
  const { page, faults } = await openPage(t, replica.url);
  page.on('dialog', dialog => {
    faults.push(`script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await signIn(page, token);
  const alert = (await api('GET', '/v0/alerts')).body.data[0].id;
  const views = [
    '#/overview',
    '#/monitors',
    '#/monitors/new',
    `#/monitors/${monitorIds[0]}/edit`,
    `#/monitors/${monitorIds[0]}`,
    '#/alerts',
    `#/alerts/${alert}`,
    '#/incidents',
    `#/incidents/${incidentId}`,
    '#/incidents/new',
    '#/status-pages',
    `#/status-pages/${pageId}`,
    `#/status-pages/${pageId}?tab=subscribers`,
    '#/regions',
    '#/wall',
    '#/maintenance',
    '#/maintenance/new',
    '#/channels',
    '#/alerts/notices',
    '#/events',
    `#/events/user?id=${encodeURIComponent(payloads[0] ?? '')}`,
    '#/events/flows',
    `#/events/flows/${flowId}`,
    `#/events/flows/${flowId}/edit`,
    '#/events/releases',
    '#/settings',
    '#/settings/limits',
    '#/settings/tokens',
    '#/settings/audit',
  ];
  for (const address of views) {
    await showView(page, address);
    t.deepEqual(
      await page.evaluate(
        `[...document.querySelectorAll('#dashboard :is(${forbiddenElements})')].map(e => e.outerHTML)`,
      ),
      [],
      address,
    );
  }
  await showView(page, `#/status-pages/${pageId}`);
  const shown = await textOf(page);
  const names: string[] = (await api('GET', '/v0/components?limit=200')).body.data.map(
    (component: { name: string }) => component.name,
  );
  t.true(names.length > 20);
  t.deepEqual(
    names.filter(name => !shown.includes(name)),
    [],
  );
  for (const hostile of [
    '#/<img src=x onerror=alert(1)>',
    '#/monitors/"><script>alert(1)</script>',
    '#javascript:alert(1)',
  ]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hostile)}`);
    await page.getByText('Page not found.').waitFor();
  }
  t.deepEqual(faults, []);
  t.true(pageId.startsWith('sp_'));
});

/** Every payload in every field that accepts it; some fields reject control characters. */
async function seed(api: Api): Promise<{ pageId: string; monitorIds: string[]; incidentId: string }> {
  const pageId = (await api('POST', '/v0/status-pages', { name: '<img src=x onerror=alert(1)>', slug: 'x' })).body.id;
  const monitorIds: string[] = [];
  for (const payload of payloads) {
    const monitor = {
      name: payload,
      url: `https://x.example/?${encodeURIComponent(payload)}#<script>alert(1)</script>`,
      interval_seconds: 3600,
      regions: ['eu'],
    };
    const made = await api('POST', '/v0/monitors', monitor);
    if (made.status === 201 && !monitorIds.includes(made.body.id)) monitorIds.push(made.body.id);
    await api('POST', '/v0/components', {
      status_page_id: pageId,
      name: payload.replaceAll(/\s/g, ' '),
      description: payload,
    });
    await api('POST', '/v0/incidents', {
      status_page_id: pageId,
      title: payload.replaceAll(/\s/g, ' '),
      severity: 'p3',
    });
  }
  const incident = { status_page_id: pageId, title: payloads[0], severity: 'p1' };
  const incidentId = (await api('POST', '/v0/incidents', incident)).body.id;
  for (const body of payloads) await api('POST', `/v0/incidents/${incidentId}/updates`, { state: 'identified', body });
  await api('PATCH', `/v0/incidents/${incidentId}`, { postmortem_body: payloads.join('\n') });
  return { pageId, monitorIds, incidentId };
}

/** The same in what users send, and in names of tokens. Returns the id of a flow. */
async function seedEvents(api: Api): Promise<string> {
  const events = payloads.map(payload => ({
    name: payload.replaceAll(/\p{Cc}/gu, ' '),
    external_user_id: payloads[0],
    session_id: payload,
    props: { [payload]: payload },
  }));
  const sent = await api('POST', '/v0/events', events);
  if (sent.status !== 202) throw new Error(`events were refused: ${sent.status}`);
  for (const payload of payloads.map(text => text.replaceAll(/\p{Cc}/gu, ' '))) {
    await api('POST', '/v0/releases', { version: payload, name: payload, url: 'https://a.example/' });
    await api('POST', '/v0/tokens', { name: payload, scopes: ['events:write'] });
  }
  const [event = ''] = events.map(({ name }) => name);
  const where = [{ prop: event, op: 'eq', value: event }];
  const flow = await api('POST', '/v0/flows', {
    name: event,
    steps: [
      { event, where },
      { event, name: event },
    ],
  });
  return flow.body.id;
}

function textOf(page: Page): Promise<string> {
  return page.evaluate("document.querySelector('#dashboard').textContent");
}
