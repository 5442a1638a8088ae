import { setTimeout as wait } from 'node:timers/promises';
import { openAudience } from '../bench/load/audience.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';
import { startMailbox } from '../support/mailbox.ts';

const subscribers = 10_000;
const times = { small: 10, full: 100 };
/** What one replica has under way of mails: see control-plane/notifications/send-mail.ts. */
const inFlightMax = 10;
const target = { lost: 0, twiceAKill: inFlightMax, retrySeconds: 35 };

/** R14: kill -9 of the control plane while it tells 10,000 subscribers of updates. */
export async function killDuringDelivery(run: RowRun): Promise<Row> {
  const mailbox = run.opened.use(await startMailbox());
  const site = await openSite(run, { SMTP_URL: mailbox.url, MAIL_FROM: 'status@upquorum.example' });
  const audience = await openAudience(site);
  await audience.people(subscribers);
  const kills = run.full ? times.full : times.small;
  const retries: number[] = [];
  let updates = 0;
  let killed = 0;
  while (killed < kills) {
    const incidentId = await audience.incident();
    updates++;
    const begun = mailbox.mails.length;
    const told = async () => new Set(mailbox.mails.slice(begun).map(mail => mail.to)).size;
    // Ten kills an update, spread over it; what was under way at each is followed to its end.
    const struck = new Map<string, number>();
    for (let place = 0; place < 10 && killed < kills; place++) {
      const after = Math.round(((place + Math.random()) / 11) * subscribers);
      const reached = await until(told, count => count >= after, 600_000);
      if (reached === subscribers) break;
      await wait(Math.random() * 100);
      await site.controlPlane().end('SIGKILL');
      const killedAt = Date.now();
      killed++;
      for (const id of await underWay(site.databaseUrl)) struck.set(id, killedAt);
      await site.startControlPlane();
      run.progress(`kill ${killed} of ${kills}: ${struck.size} under way so far`);
    }
    await until(
      async () => (await audience.counts(incidentId)).queued ?? 0,
      queued => queued === 0,
      600_000,
    );
    for (const [id, sentAt] of await sentTimes(site.databaseUrl, [...struck.keys()]))
      retries.push((sentAt - (struck.get(id) ?? sentAt)) / 1000);
  }
  const ids = mailbox.mails.map(mail => mail.headers.get('message-id')?.[0]);
  const figure = {
    kills,
    mails: ids.length,
    lost: updates * subscribers - new Set(ids).size,
    twice: ids.length - new Set(ids).size,
    retrySeconds: round(Math.max(0, ...retries), 1),
  };
  const pass = figure.lost === 0 && figure.twice <= kills * inFlightMax && figure.retrySeconds < target.retrySeconds;
  return { name: 'R14', figure, target, pass, versions: await site.versions(), samples: { underWay: retries.length } };
}

function underWay(databaseUrl: string): Promise<string[]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ id: string }>(
      "select id from deliveries where state = 'queued' and leased_until is not null",
    );
    return rows.map(row => row.id);
  });
}

function sentTimes(databaseUrl: string, ids: readonly string[]): Promise<[string, number][]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ id: string; sent_at: number }>(
      'select id, sent_at from deliveries where id = any($1::text[])',
      [ids],
    );
    return rows.map(row => [row.id, row.sent_at]);
  });
}
