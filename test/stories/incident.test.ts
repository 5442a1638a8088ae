import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { answer, ok, startTarget } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';
import { readXml } from '#test/support/xml.ts';

const database = useDatabase(test);
const openPage = useBrowser(test);
const publicUrl = 'http://localhost:8080';

test('an outage is posted to Slack, promoted by one call, published on the page, in feeds and by email', async t => {
  await using mailbox = await startMailbox();
  await using slack = await startTarget(ok('{"ok":true,"channel":"C0OPS","ts":"1700000000.000100"}'));
  await using hook = await startTarget(ok('thanks'));
  const world = await openWorld(t, database(), ['story-eu', 'story-us', 'story-ap'], {
    config: {
      publicUrl,
      smtpUrl: mailbox.url,
      mailFrom: 'status@example.com',
      slackApiUrl: slack.url.replace(/\/$/, ''),
      outboundPolicy: { base: 'loopback', allow: [] },
    },
  });
  const { api, replica } = world;
  const visitor = apiOf(replica.url, '');
  const site = { slug: 'acme', path: '/status/acme' };

  // Set up: a page with the monitor behind its component, Slack, a webhook.
  const id = await world.monitor({ name: 'Checkout', alert_policy: { severity: 'p1', slack_channel: '#ops' } });
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: site.slug })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'Shop', monitor_ids: [id] }))
    .body;
  t.is((await api('PUT', '/v0/slack', { bot_token: 'xoxb-test-token' })).status, 200);
  t.is(
    (await api('POST', '/v0/webhooks', { url: hook.url, kinds: ['alert.opened', 'incident.resolved'] })).status,
    201,
  );
  await shows(`${site.path}/summary.json`, '"indicator":"none"');

  // A visitor subscribes by the form of the page, with no script.
  const { page: tab, faults } = await openPage(t, `${replica.url}${site.path}`, { javaScriptEnabled: false });
  await tab.fill('input[type=email]', 'Reader@Example.com');
  await tab.click('button:has-text("Subscribe")');
  await tab.waitForSelector('text=Check your inbox');
  const [confirmation] = await emails('Reader@example.com', 1);
  const confirm = linkIn(confirmation?.text ?? '', 'confirm');
  await tab.goto(confirm);
  await tab.click('button:has-text("Confirm")');
  await tab.waitForSelector('text=You’re subscribed');

  // The outage.
  world.target.behaviour = answer(503, 'busy');
  const [alert] = await until(
    () => world.alerts('?state=open'),
    alerts => alerts.length === 1,
  );
  await slack.requested(1);
  const message = JSON.parse(slack.requests[0]?.body ?? '{}');
  t.is(message.channel, '#ops');
  t.true(JSON.stringify(message).includes(`/#/alerts/${alert?.id}`), 'the message links to the alert');
  t.is(slack.requests[0]?.headers.authorization, 'Bearer xoxb-test-token');
  await hook.requested(1);
  t.is(JSON.parse(hook.requests[0]?.body ?? '{}').type, 'alert.opened');
  await shows(`${site.path}/summary.json`, 'major_outage');

  // One call makes it an incident: on the page, in the feeds, by email.
  const incident = (await api('POST', `/v0/alerts/${alert?.id}/promote`, {})).body;
  t.deepEqual(incident.affected_components, [component.id]);
  const [, first] = await emails('Reader@example.com', 2);
  t.is(first?.headers.get('subject')?.[0], '[Acme] Checkout is down');
  t.is(first?.headers.get('list-unsubscribe-post')?.[0], 'List-Unsubscribe=One-Click');
  await api('POST', `/v0/incidents/${incident.id}/updates`, { state: 'identified', body: 'A **full disk**.' });
  const [, , second] = await emails('Reader@example.com', 3);
  t.true(second?.text.includes('full disk'));
  t.is(
    second?.headers.get('references')?.[0],
    first?.headers.get('references')?.[0],
    'emails about one incident are one thread',
  );
  await shows(`${site.path}/feed.rss`, 'full disk');
  const atom = readXml(String((await visitor('GET', `${site.path}/feed.atom`)).body));
  t.is(atom.children.filter(child => child.name === 'entry').length, 2);
  await tab.goto(`${replica.url}${site.path}`);
  // The browser may have cached the first visit for a few seconds; a reload revalidates.
  await tab.reload();
  await tab.locator('main').getByText('Checkout is down').first().waitFor();
  await takeScreenshot(tab, 'story-outage-light');
  for (const [name, options] of [
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ] as const) {
    const other = await openPage(t, `${replica.url}${site.path}`, { javaScriptEnabled: false, ...options });
    await takeScreenshot(other.page, `story-outage-${name}`);
    t.deepEqual(other.faults, []);
  }

  // The alert resolves by itself, the incident is resolved by the operator.
  world.target.behaviour = ok('{"ok":true}');
  await until(
    () => world.status(id),
    status => status === 'up',
  );
  await slack.requested(2);
  t.is(JSON.parse(slack.requests[1]?.body ?? '{}').thread_ts, '1700000000.000100');
  t.is((await api('POST', `/v0/incidents/${incident.id}/resolve`, { body: 'All works.' })).status, 200);
  t.is((await api('POST', `/v0/incidents/${incident.id}/resolve`, { body: 'All works.' })).status, 409);
  const [, , , last] = await emails('Reader@example.com', 4);
  await shows(`${site.path}/summary.json`, '"indicator":"none"');
  await hook.requested(2);
  const deliveries = (await api('GET', `/v0/incidents/${incident.id}/deliveries`)).body.data;
  t.deepEqual(new Set(deliveries.map((delivery: { state: string }) => delivery.state)), new Set(['sent']));

  const days = (await api('GET', `/v0/monitors/${id}/uptime`)).body.data;
  t.is(days.at(-1).incidents, 1);

  // One click unsubscribes; nothing else was sent twice.
  const oneClick = linkIn(last?.headers.get('list-unsubscribe')?.[0] ?? '', 'unsubscribe');
  await tab.goto(oneClick);
  await tab.waitForSelector('button:has-text("Unsubscribe")');
  t.is(
    (await api('GET', `/v0/status-pages/${page.id}/subscribers`)).body.data[0].state,
    'active',
    'a GET changes nothing',
  );
  const ended = await fetch(oneClick, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  t.is(ended.status, 200);
  await api('POST', `/v0/incidents/${incident.id}/updates`, { state: 'resolved', body: 'Report follows.' });
  await shows(`${site.path}/feed.rss`, 'Report follows');
  t.is(mailbox.to('Reader@example.com').length, 4);
  t.is(slack.requests.length, 2);
  t.deepEqual(faults, []);

  function shows(path: string, text: string) {
    return until(
      () => visitor('GET', path),
      shown =>
        shown.status === 200 &&
        (typeof shown.body === 'string' ? shown.body : JSON.stringify(shown.body)).includes(text),
    );
  }

  function emails(to: string, count: number) {
    return until(
      async () => mailbox.to(to),
      all => all.length >= count,
    );
  }

  /** Emails contain the public URL; this replica listens on another one. */
  function linkIn(text: string, verb: string): string {
    const found = new RegExp(`${publicUrl}(/status/acme/${verb}\\?token=[^\\s>]+)`).exec(text);
    if (found === null) throw new Error(`no link to ${verb} in: ${text}`);
    return `${replica.url}${found[1]}`;
  }
});
