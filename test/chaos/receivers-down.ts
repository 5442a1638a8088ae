import { wait } from '#shared/wait.ts';
import { openAudience } from '../bench/load/audience.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until } from '../support/control-plane.ts';
import { startMailbox } from '../support/mailbox.ts';
import { startReceiver } from '../support/receiver.ts';

const people = 500;
const webhooks = 20;
const downMs = { small: 120_000, full: 3_600_000 };
const target = { lost: 0, twice: 0 };

/** R13: the SMTP server and the webhook receiver are down while two updates are posted, and come back. */
export async function receiversDown(run: RowRun): Promise<Row> {
  const before = { mailbox: await startMailbox(), receiver: await startReceiver() };
  const site = await openSite(run, {
    SMTP_URL: before.mailbox.url,
    MAIL_FROM: 'status@upquorum.example',
    OUTBOUND_ADDRESS_POLICY: 'loopback',
  });
  const audience = await openAudience(site);
  await audience.people(people);
  for (let index = 0; index < webhooks; index++) await audience.webhook(`${before.receiver.url}${index}`);
  const perUpdate = people + webhooks;
  const incidentId = await audience.incident();
  const sent = async () => (await audience.counts(incidentId)).sent ?? 0;
  await until(sent, count => count === perUpdate, 60_000);

  const { port } = before.mailbox;
  await Promise.all([before.mailbox[Symbol.asyncDispose](), before.receiver[Symbol.asyncDispose]()]);
  await audience.update(incidentId, 'second');
  await audience.update(incidentId, 'third');
  const ms = run.full ? downMs.full : downMs.small;
  run.progress(`both are down for ${ms / 1000} s`);
  await wait(ms);
  const mailbox = run.opened.use(await startMailbox({ port }));
  const receiver = run.opened.use(await startReceiver(before.receiver.port));
  const backAt = performance.now();
  // The next attempt may be due after another 1.2 times the outage.
  await until(sent, count => count === 3 * perUpdate, 2 * ms + 300_000);
  const afterSeconds = (performance.now() - backAt) / 1000;

  const emails = [...before.mailbox.emails, ...mailbox.emails];
  const ids = [
    ...emails.map(email => `${email.to} ${email.headers.get('message-id')?.[0]}`),
    ...before.receiver.ids,
    ...receiver.ids,
  ];
  const figure = {
    messages: ids.length,
    lost: 3 * perUpdate - new Set(ids).size,
    twice: ids.length - new Set(ids).size,
    outOfOrder: outOfOrder(emails),
    allSentAfterSeconds: round(afterSeconds, 1),
  };
  const pass = figure.lost === 0 && figure.twice === 0 && figure.outOfOrder === 0;
  return { name: 'R13', figure, target, pass, versions: await site.versions(), samples: { downSeconds: ms / 1000 } };
}

/** The number of recipients whose updates arrived out of order. */
function outOfOrder(emails: readonly { to: string; text: string }[]): number {
  const received = new Map<string, string[]>();
  for (const { to, text } of emails)
    received.set(to, [...(received.get(to) ?? []), /second|third/.exec(text)?.[0] ?? 'first']);
  return [...received.values()].filter(order => order.join(' ') !== 'first second third').length;
}
