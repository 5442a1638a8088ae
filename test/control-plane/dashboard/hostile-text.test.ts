import test from 'ava';
import type { Page } from 'playwright-core';
import { insertAlert } from '#control-plane/alerts/store.ts';
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

/** Elements and attributes that no text may become. */
const forbiddenElements = [
  'script, img, iframe, object, embed, base, meta, link, style, video, audio, math, foreignObject, animate',
  '[style]:not(.plot *, .monitor-rows, .monitor-slice), [srcdoc], [onerror], [onload]',
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
  await showView(page, '#/status-pages');
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

function textOf(page: Page): Promise<string> {
  return page.evaluate("document.querySelector('#dashboard').textContent");
}
