import test from 'ava';
import { hourMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { ok, startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const at = (ms: number) => new Date(ms).toISOString();

test.serial('a cancelled window is nowhere shown as completed, and what was said before is not changed', async t => {
  await using mailbox = await startMailbox();
  await using receiver = await startTarget(ok());
  const world = await openNotificationWorld(t, databaseOf(), { smtpUrl: mailbox.url });
  const { api, visit, page } = world;
  mailbox.refuse = () => ({ code: 451, text: 'later' });
  await world.subscriber('ada@example.com');
  await world.webhookSubscriber(receiver.url);
  const startsAt = Date.now() + hourMs;
  const planned = await api('POST', '/v0/maintenances', {
    title: 'Database upgrade',
    scope: { status_page_ids: [page.id] },
    starts_at: at(startsAt),
    ends_at: at(startsAt + hourMs),
    announced: true,
  });
  await receiver.requested(1);
  const { updates } = (await api('POST', `/v0/maintenances/${planned.body.id}/cancel`, {})).body;
  await receiver.requested(2);
  const sent = receiver.requests.map(({ body }) => JSON.parse(body).data.update);
  t.deepEqual(
    sent.map(({ state, body }) => [state, body]),
    [
      ['scheduled', 'Maintenance is scheduled.'],
      ['cancelled', 'Maintenance has been cancelled.'],
    ],
  );

  mailbox.refuse = () => null;
  const emails = await until(
    async () => {
      await world.retryNow();
      return mailbox.to('ada@example.com');
    },
    received => received.length >= 2,
  );
  // On a busy machine a delivery that is under way may be made due once more.
  t.deepEqual(
    [...new Set(emails.map(({ text }) => /^Maintenance · .*$/m.exec(text)?.[0]))],
    ['Maintenance · Scheduled', 'Maintenance · Cancelled'],
  );

  // Who edits the text to say why does not make it another update.
  const path = `/v0/maintenances/${planned.body.id}/updates/${updates.at(-1).id}`;
  t.is((await api('PATCH', path, { body: 'The disks came late.' })).status, 200);
  const read = (name: string) =>
    until(
      async () => String((await visit('GET', `/status/${page.slug}/${name}`)).body),
      text => text.includes('The disks came late.'),
    );
  const rss = await read('feed.rss');
  t.true(rss.includes('<title>Database upgrade – Cancelled</title>'));
  t.true(rss.includes('<title>Database upgrade – Scheduled</title>'));
  t.true(rss.includes('<category>Cancelled</category>'));
  t.true((await read('feed.atom')).includes('<category term="cancelled" label="Cancelled"/>'));
  const own = await read(`maintenances/${planned.body.next.id}`);
  t.deepEqual(
    [...own.matchAll(/<li id="upd_[^>]*><h3>([^<]*)/g)].map(match => match[1]),
    ['Cancelled', 'Scheduled'],
  );
  for (const text of [rss, own]) t.false(/completed/i.test(text));
});
