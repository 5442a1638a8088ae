import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { isFull } from '#test/support/full.ts';
import { ok, startTarget } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);
const addresses = 5;
const monitorsPerAddress = isFull ? 40 : 16;
const monitors = addresses * monitorsPerAddress;

/** A site on a loopback address of its own, which `kill` takes away with all its connections. */
async function startSite(t: ExecutionContext, host: string) {
  const server: Server = createServer((_, response) => response.end('ok'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const kill = () => {
    server.close();
    server.closeAllConnections();
  };
  t.teardown(kill);
  return { host, url: `http://${host}:${(server.address() as AddressInfo).port}/`, kill };
}

type Message = { channel: string; step: string; title: string };

const title = `${monitors} monitors on ${addresses} addresses, of which first one dies, then two`;

test(`${title}: one message a cause in each channel`, async t => {
  await using messages = await startTarget(ok('{"ok":true}'));
  await using slack = await startTarget(ok('{"ok":true,"channel":"C0OPS","ts":"1700000000.000100"}'));
  const config = { slackApiUrl: slack.url.replace(/\/$/, '') };
  const world = await openWorld(t, database(), ['cause-eu'], { config });
  const { api } = world;
  const made = async (path: string, body: unknown) => {
    const reply = await api('POST', path, body);
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };

  // What an installation has without routes: Slack on the monitor, and a webhook.
  t.is((await api('PUT', '/v0/slack', { bot_token: 'xoxb-test-token' })).status, 200);
  await made('/v0/webhooks', { url: `${messages.url}hook`, kinds: ['alert.opened'] });
  // And two channels by a route. The first message waits until all failures of one moment are in.
  t.is((await api('PATCH', '/v0/project', { grouping: { wait_seconds: 30 } })).status, 200);
  const channels: string[] = [];
  for (const name of ['one', 'two']) {
    const template = `{"channel":"${name}","step":"{{step}}","title":"{{title}}"}`;
    const channel = { type: 'http', name, config: { url: `${messages.url}channel`, template } };
    channels.push((await made('/v0/channels', channel)).id);
  }
  await made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids: channels }] });
  const received = () =>
    messages.requests.filter(({ url }) => url === '/channel').map(({ body }) => JSON.parse(body) as Message);

  const sites: Awaited<ReturnType<typeof startSite>>[] = [];
  for (let index = 1; index <= addresses; index++) sites.push(await startSite(t, `127.0.0.${index + 1}`));
  for (const [index, site] of sites.entries())
    for (let count = 0; count < monitorsPerAddress; count++) {
      const body = { name: `site ${index} page ${count}`, url: `${site.url}${count}`, labels: { site: String(index) } };
      const slack_channel = index === 0 ? '#ops' : null;
      const fixed = { interval_seconds: 60, timeout_ms: 5000, regions: world.regions };
      await made('/v0/monitors', { ...body, ...fixed, alert_policy: { severity: 'p2', slack_channel } });
    }
  const count = async (query: string) => {
    const { values } = (await api('GET', '/v0/labels')).body.data[0];
    t.is(values.length, addresses);
    return (await api('GET', `/v0/monitors?limit=200&${query}`)).body.data.length;
  };
  await until(() => count('status=up'), monitors);
  const kill = async (...dead: number[]) => {
    for (const index of dead) sites[index]?.kill();
    for (const index of dead) {
      const body = { selector: `site=${index}`, action: 'check_now', expected_count: monitorsPerAddress };
      t.is((await api('POST', '/v0/monitors/bulk', body)).body.changed, monitorsPerAddress);
    }
  };

  await kill(0);
  await until(() => count('status=down'), monitorsPerAddress);
  await until(() => received().length, 2);
  const titleOf = (index: number) =>
    `${monitorsPerAddress} alerts at ${sites[index]?.host}: the connection was refused`;
  t.deepEqual(received().toSorted(byChannel), [
    { channel: 'one', step: 'opened', title: titleOf(0) },
    { channel: 'two', step: 'opened', title: titleOf(0) },
  ]);
  const groups = async () =>
    (await api('GET', '/v0/alert-groups')).body.data as { alert_ids: string[]; cause: unknown }[];
  t.deepEqual(
    (await groups()).map(({ alert_ids, cause }) => [alert_ids.length, cause]),
    [[monitorsPerAddress, { type: 'address', value: '127.0.0.2', error_code: 'connect_refused' }]],
  );
  const hooks = () => messages.requests.filter(({ url }) => url === '/hook').length;
  await until(hooks, monitorsPerAddress);
  await until(() => slack.requests.length, monitorsPerAddress);

  await kill(1, 2);
  // On a busy machine some of the alerts come after the first message: they join its group.
  const opened = () => received().filter(({ step }) => step === 'opened');
  await until(() => opened().length, 6);
  await until(async () => (await groups()).filter(isWhole).length, 3);
  t.deepEqual(
    opened()
      .slice(2)
      .map(({ channel, title }) => `${channel} ${title.replace(/^\d+/, String(monitorsPerAddress))}`)
      .toSorted(),
    ['one', 'two'].flatMap(name => [1, 2].map(index => `${name} ${titleOf(index)}`)),
  );
  await until(hooks, 3 * monitorsPerAddress);
  t.is((await groups()).length, 3);
  t.deepEqual([slack.requests.length, hooks()], [monitorsPerAddress, 3 * monitorsPerAddress]);
});

function isWhole({ alert_ids }: { alert_ids: readonly string[] }): boolean {
  return alert_ids.length === monitorsPerAddress;
}

function byChannel(left: Message, right: Message): number {
  return left.channel < right.channel ? -1 : 1;
}
