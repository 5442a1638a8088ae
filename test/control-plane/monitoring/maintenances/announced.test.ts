import test from 'ava';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';

const databaseOf = useDatabase(test);
const at = (ms: number) => new Date(ms).toISOString();

test.serial('upcoming, begun, extended and over: on page, feeds, summary.json and in emails, each once', async t => {
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const { api, visit, page, component } = world;
  const other = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'Other' })).body;
  await api('PATCH', `/v0/components/${component.id}`, { monitor_ids: [] });
  await world.subscriber('all@example.com');
  await world.subscriber('other@example.com', [other.id]);
  // A busy machine takes seconds to plan and to publish it.
  const startsAt = Date.now() + 20 * secondMs;
  const planned = await api('POST', '/v0/maintenances', {
    title: 'Database <upgrade>',
    description: 'We move to *new* disks.',
    scope: { component_ids: [component.id] },
    starts_at: at(startsAt),
    ends_at: at(startsAt + hourMs),
    announced: true,
    notify: ['announced', 'started', 'updates', 'completed'],
  });
  t.is(planned.status, 201, JSON.stringify(planned.body));
  const { id } = planned.body;
  const occurrence = planned.body.next.id;
  const path = `/status/${page.slug}`;
  const read = async (name: string) => String((await visit('GET', `${path}${name}`)).body);
  const summary = async () => (await visit('GET', `${path}/summary.json`)).body;
  const shownAs = (state: string) =>
    until(
      async () => (await summary()).scheduled_maintenances?.[0]?.status,
      shown => shown === state,
    );
  await shownAs('scheduled');
  t.like((await summary()).scheduled_maintenances[0], {
    id: occurrence,
    name: 'Database <upgrade>',
    impact: 'maintenance',
    scheduled_for: at(startsAt),
    scheduled_until: at(startsAt + hourMs),
  });
  t.regex(await read(''), /Upcoming maintenance[\s\S]*Database &lt;upgrade&gt;/);
  await shownAs('in_progress');
  const during = await read('');
  t.regex(during, /Maintenance in progress[\s\S]*Database &lt;upgrade&gt;[\s\S]*Components/);
  t.is((await api('GET', `/v0/components/${component.id}`)).body.shown_status, 'under_maintenance');
  t.is((await api('GET', `/v0/components/${other.id}`)).body.shown_status, 'operational');
  t.is((await summary()).components[0].status, 'under_maintenance');
  const act = (name: string, body = {}) => api('POST', `/v0/maintenances/${id}/${name}`, body);
  await act('extend', { ends_at: at(startsAt + 2 * hourMs) });
  await act('updates', { state: 'verifying', body: 'Almost **there**.' });
  await shownAs('verifying');
  await act('end');
  await until(
    async () => (await summary()).scheduled_maintenances.length,
    count => count === 0,
  );
  t.is((await api('GET', `/v0/components/${component.id}`)).body.shown_status, 'operational');
  const texts = ['is scheduled', 'has begun', 'is taking longer than planned', 'Almost', 'is complete'];
  for (const name of ['/feed.rss', '/feed.atom']) {
    const feed = await read(name);
    for (const text of texts) t.is(feed.split(text).length - 1, 1, `${text} in ${name}`);
    t.true(feed.includes(`/maintenances/${occurrence}#upd_`));
  }
  const own = await read(`/maintenances/${occurrence}`);
  for (const text of [...texts, '<em>new</em>', '<strong>there</strong>']) t.true(own.includes(text), text);
  t.regex(await read(''), /Past maintenance[\s\S]*Database &lt;upgrade&gt;/);
  const emails = await until(
    async () => mailbox.to('all@example.com'),
    received => received.length >= texts.length,
  );
  await world.factsDispatched();
  t.deepEqual(
    emails.map(email => texts.findIndex(text => email.text.includes(text))),
    [0, 1, 2, 3, 4],
  );
  t.true(emails.every(email => email.text.includes(`/maintenances/${occurrence}`)));
  t.deepEqual(mailbox.to('other@example.com'), [], 'not subscribed to that component');
  const deliveries = (await api('GET', `/v0/maintenances/${id}/deliveries`)).body.data;
  t.deepEqual(
    deliveries.map((row: { kind: string; state: string }) => [row.kind, row.state]),
    texts.map(() => ['maintenance_update', 'sent']),
  );
});

test.serial('cancelled: told once to who heard of it; deleted: gone from the page', async t => {
  await using mailbox = await startMailbox();
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const { api, visit, page } = world;
  await api('PATCH', `/v0/status-pages/${page.id}`, { locale: 'de' });
  await world.subscriber('ada@example.com');
  const now = Date.now();
  const planned = await api('POST', '/v0/maintenances', {
    title: 'Umzug',
    scope: { status_page_ids: [page.id] },
    starts_at: at(now + hourMs),
    ends_at: at(now + hourMs + minuteMs),
    announced: true,
  });
  const own = `/status/${page.slug}/maintenances/${planned.body.next.id}`;
  await until(
    async () => (await visit('GET', own)).status,
    status => status === 200,
  );
  const cancelled = await api('POST', `/v0/maintenances/${planned.body.id}/cancel`, {});
  t.is(cancelled.body.state, 'cancelled');
  const emails = await until(
    async () => mailbox.to('ada@example.com'),
    received => received.length >= 2,
  );
  t.deepEqual(
    emails.map(email => /(geplant|abgesagt)\./.exec(email.text)?.[1]),
    ['geplant', 'abgesagt'],
  );
  await until(
    async () => (await visit('GET', own)).body,
    body => String(body).includes('Abgesagt'),
  );
  await api('DELETE', `/v0/maintenances/${planned.body.id}`);
  await until(
    async () => (await visit('GET', own)).status,
    status => status === 404,
  );
  t.false(String((await visit('GET', `/status/${page.slug}`)).body).includes('Umzug'));
});

const languages = {
  de: {
    page: 'Laufende Wartung',
    status: 'In Wartung',
    when: /Zeitraum: \S+.* bis /,
    emails: ['ist geplant.', 'hat begonnen.', 'dauert länger als geplant. Neues Ende:', 'ist beendet.'],
  },
  fr: {
    page: 'Maintenance en cours',
    status: 'En maintenance',
    when: /Période\s: du .* au /,
    emails: ['est planifiée.', 'a commencé.', 'dure plus longtemps que prévu', 'est terminée.'],
  },
};

for (const [locale, words] of Object.entries(languages))
  test.serial(`a page in ${locale} announces, begins, extends and ends maintenance in its language`, async t => {
    await using mailbox = await startMailbox();
    const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
    const { api, visit, page, component } = world;
    await api('PATCH', `/v0/status-pages/${page.id}`, { locale });
    await world.subscriber('ada@example.com');
    const startsAt = Date.now() + 3 * secondMs;
    const planned = await api('POST', '/v0/maintenances', {
      title: 'x',
      scope: { component_ids: [component.id] },
      starts_at: at(startsAt),
      ends_at: at(startsAt + hourMs),
      announced: true,
      notify: ['announced', 'started', 'updates', 'completed'],
    });
    t.is(planned.status, 201);
    const read = async (path = '') => String((await visit('GET', `/status/${page.slug}${path}`)).body);
    await until(
      () => read(),
      text => text.includes(words.page) && text.includes(words.status),
    );
    const id = planned.body.id;
    await api('POST', `/v0/maintenances/${id}/extend`, { ends_at: at(startsAt + 2 * hourMs) });
    await api('POST', `/v0/maintenances/${id}/end`, {});
    const emails = await until(
      async () => mailbox.to('ada@example.com'),
      received => received.length >= words.emails.length,
    );
    t.deepEqual(
      emails.map(email => words.emails.findIndex(text => email.text.includes(text))),
      [0, 1, 2, 3],
    );
    for (const email of emails) {
      t.regex(email.text, words.when);
      t.false(/Maintenance (is|has|takes)|Subscri|Affected/.test(email.text), email.text);
    }
    const own = await until(
      () => read(`/maintenances/${planned.body.current?.id ?? planned.body.next.id}`),
      text => text.includes(words.emails[3] ?? ''),
    );
    for (const text of words.emails) t.true(own.includes(text), text);
    t.false(/Maintenance (is|has|takes)/.test(own));
  });
