import test from 'ava';
import { hourMs, minuteMs } from '#shared/duration.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

test.serial(
  'one address of five dies: each channel gets one message about its 40 alerts, and one when all is well',
  async t => {
    const world = await openAlertingWorld(t, databaseOf());
    const { api, made } = world;
    await made('/v0/webhooks', { url: `${world.target.url}hook`, kinds: ['alert.opened', 'alert.resolved'] });
    const chat = await world.channel('chat');
    const mail = await world.channel('other');
    await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat, mail] }] });
    const names = Array.from({ length: 42 }, (_, index) => `m${index}`);
    const monitors: string[] = [];
    for (const name of names) monitors.push(await world.monitor(name));
    const dead = await world.open(monitors.slice(0, 40), { address: '192.0.2.7' });
    const other = await world.open(monitors.slice(40, 41), { address: '192.0.2.8' });
    await until(
      () => world.messages('chat').length,
      count => count === 2,
    );
    const titles = (name: string) =>
      world
        .messages(name)
        .map(({ step, title }) => `${step} ${title}`)
        .toSorted();
    const expected = ['opened 40 alerts at 192.0.2.7: the connection was refused', `opened ${monitors[40]} is down`];
    t.deepEqual(titles('chat'), expected);
    await until(() => titles('other'), expected);
    const groups = (await api('GET', '/v0/alert-groups')).body.data;
    t.deepEqual(groups.map((group: { alert_ids: string[] }) => group.alert_ids.length).toSorted(), [1, 40]);
    const large = groups.find((group: { alert_ids: string[] }) => group.alert_ids.length === 40);
    t.deepEqual(large.cause, { type: 'address', value: '192.0.2.7', error_code: 'connect_refused' });
    t.is((await api('GET', `/v0/alerts/${dead[0]?.id}`)).body.group_id, large.id);
    await world.resolve([...dead, ...other]);
    await until(
      () => world.messages('chat').filter(({ step }) => step === 'resolved').length,
      count => count === 2,
    );
    await world.settled();
    t.is(world.messages('chat').length, 4);
    const hooks = () => world.target.requests.filter(({ url }) => url === '/hook').length;
    await until(hooks, 82);
    t.is((await api('GET', `/v0/alert-groups/${large.id}`)).body.state, 'resolved');
    const about = (await api('GET', `/v0/alerts/${dead[0]?.id}/deliveries`)).body.data as { step: string | null }[];
    t.deepEqual(about.map(({ step }) => step ?? 'webhook').toSorted(), [
      'opened',
      'opened',
      'resolved',
      'resolved',
      'webhook',
      'webhook',
    ]);
  },
);

test.serial('looking at a link changes nothing, one click acknowledges, and then nobody is reminded', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const { api, made } = world;
  const [chat, pager] = [await world.channel('chat'), await world.channel('pager')];
  const steps = [
    { after_minutes: 0, channel_ids: [chat] },
    { after_minutes: 30, channel_ids: [pager] },
  ];
  await made('/v0/routes', { name: 'all', steps, remind_every_minutes: 5 });
  const [alert] = await world.open([await world.monitor('a')], { severity: 'p1' });
  const [first] = await until(
    () => world.messages('chat'),
    messages => messages.length === 1,
  );
  world.pass(6 * minuteMs);
  await until(
    () => world.messages('chat').at(-1)?.step,
    step => step === 'reminder',
  );
  const page = apiOf(world.replica.url, '');
  const path = new URL(first?.link ?? '').pathname;
  const html = { accept: 'text/html' };
  for (let count = 0; count < 50; count++) {
    const shown = await page(count % 2 === 0 ? 'GET' : 'HEAD', path, undefined, html);
    t.is(shown.status, 200);
  }
  t.is((await api('GET', `/v0/alerts/${alert?.id}`)).body.state, 'open');
  const shown = await page('GET', path, undefined, html);
  t.true(shown.body.includes('<form method="post"') && !shown.body.includes('<script'));
  t.is(shown.headers['referrer-policy'], 'no-referrer');
  t.is((await page('POST', path, { name: 'Ada' }, html)).status, 200);
  const acknowledged = (await api('GET', `/v0/alerts/${alert?.id}`)).body;
  t.is(acknowledged.state, 'acknowledged');
  t.deepEqual(acknowledged.acknowledged_by, { type: 'link', id: chat, name: 'chat (says: Ada)' });
  const [entry] = (await api('GET', '/v0/audit?action=alert_group.acknowledged')).body.data;
  t.is(entry.actor.type, 'link');
  t.regex(entry.request_id, /^req_/);
  t.is((await page('POST', path, undefined, html)).status, 200, 'again');
  await until(
    () => world.messages('chat').at(-1)?.step,
    step => step === 'acknowledged',
  );
  const before = world.messages('chat').length;
  world.pass(2 * hourMs);
  await world.settled();
  t.deepEqual([world.messages('chat').length, world.messages('pager').length], [before, 0]);
  t.is((await page('GET', `${path.slice(0, -4)}AAAA`, undefined, html)).status, 404);
  if (alert !== undefined) await world.resolve([alert]);
  await until(
    () => world.messages('chat').at(-1)?.step,
    step => step === 'resolved',
  );
  t.is((await page('GET', path, undefined, html)).status, 410);
  t.is((await page('GET', path, undefined, { accept: 'application/json' })).body.code, 'link_expired');
});

test.serial('three alerts of a quiet night, two of them gone: one digest in the morning, and a p1 at once', async t => {
  const world = await openAlertingWorld(t, databaseOf());
  const chat = await world.channel('chat');
  const clockOf = (ms: number) => new Date(ms).toISOString().slice(11, 16);
  const now = world.clock.now();
  const quiet_hours = { timezone: 'UTC', from: clockOf(now - hourMs), to: clockOf(now + 9 * hourMs) };
  await world.made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: [chat] }], quiet_hours });
  const monitors = [
    await world.monitor('a'),
    await world.monitor('b'),
    await world.monitor('c'),
    await world.monitor('d'),
  ];
  const [urgent] = await world.open(monitors.slice(3), { severity: 'p1' });
  await until(
    () => world.messages('chat').length,
    count => count === 1,
  );
  const quietly = await world.open(monitors.slice(0, 3));
  await world.settled();
  world.pass(minuteMs);
  await world.settled();
  await world.resolve(quietly.slice(0, 2));
  await world.settled();
  t.is(world.messages('chat').length, 1);
  world.pass(9 * hourMs);
  const [, digest] = await until(
    () => world.messages('chat'),
    messages => messages.length === 2,
  );
  t.like(digest, { step: 'digest', title: 'Quiet hours are over: 1 open, 2 resolved' });
  for (const monitor of monitors.slice(0, 3)) t.true(digest?.text?.includes(monitor));
  await world.settled();
  await world.resolve([...quietly.slice(2), ...(urgent === undefined ? [] : [urgent])]);
  await until(
    () => world.messages('chat').filter(({ step }) => step === 'resolved').length,
    count => count === 2,
  );
  t.is(world.messages('chat').length, 4, 'of what came and went nothing more is said');
});
