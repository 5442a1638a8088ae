import { wait } from '#shared/wait.ts';
import { openAudience } from '../bench/load/audience.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';
import { startMailbox } from '../support/mailbox.ts';

const subscribers = 10_000;
const times = { small: 10, full: 100 };
/** Emails of one project claimed by one replica: see control-plane/delivery/notifications/notifier.ts. */
const inFlightMax = 32;
const target = { lost: 0, twicePerKill: inFlightMax, retrySeconds: 35 };

/** R14: kill -9 of the control plane while it notifies 10,000 subscribers of updates. */
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
    const received = mailbox.emails.length;
    const reached = async () => new Set(mailbox.emails.slice(received).map(email => email.to)).size;
    // Ten kills per update, spread over it. Deliveries in flight at a kill are checked until they are sent.
    const interrupted = new Map<string, number>();
    for (let index = 0; index < 10 && killed < kills; index++) {
      const after = Math.round(((index + Math.random()) / 11) * subscribers);
      const count = await until(reached, count => count >= after, 600_000);
      if (count === subscribers) break;
      await wait(Math.random() * 100);
      await site.controlPlane().end('SIGKILL');
      const killedAt = Date.now();
      killed++;
      for (const id of await listInFlight(site.databaseUrl)) interrupted.set(id, killedAt);
      await site.startControlPlane();
      run.progress(`kill ${killed} of ${kills}: ${interrupted.size} in flight so far`);
    }
    await until(
      async () => (await audience.counts(incidentId)).queued ?? 0,
      queued => queued === 0,
      600_000,
    );
    for (const [id, sentAt] of await sentTimes(site.databaseUrl, [...interrupted.keys()]))
      retries.push((sentAt - (interrupted.get(id) ?? sentAt)) / 1000);
  }
  const ids = mailbox.emails.map(email => email.headers.get('message-id')?.[0]);
  const figure = {
    kills,
    emails: ids.length,
    lost: updates * subscribers - new Set(ids).size,
    twice: ids.length - new Set(ids).size,
    retrySeconds: round(Math.max(0, ...retries), 1),
  };
  const pass = figure.lost === 0 && figure.twice <= kills * inFlightMax && figure.retrySeconds < target.retrySeconds;
  return { name: 'R14', figure, target, pass, versions: await site.versions(), samples: { inFlight: retries.length } };
}

function listInFlight(databaseUrl: string): Promise<string[]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ id: string }>`
      select id
      from deliveries
      where state = 'queued'
        and leased_until is not null`;
    return rows.map(row => row.id);
  });
}

function sentTimes(databaseUrl: string, ids: readonly string[]): Promise<[string, number][]> {
  return withSql(databaseUrl, async sql => {
    const rows = await sql.rows<{ id: string; sent_at: number }>`
      select id, sent_at
      from deliveries
      where id = any(${ids}::text[])`;
    return rows.map(row => [row.id, row.sent_at]);
  });
}
