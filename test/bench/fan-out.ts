import { until, withSql } from '../support/control-plane.ts';
import { startMailbox } from '../support/mailbox.ts';
import { openAudience } from './load/audience.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const subscribers = 10_000;
const target = { queuedSeconds: 5, lost: 0, twice: 0 };

/** Fan-out: from an update posted to a delivery queued for each of 10,000 subscribers, and then to the last mail taken. */
export async function measureFanOut(run: RowRun): Promise<Row> {
  const mailbox = run.opened.use(await startMailbox());
  const site = await openSite(run, { SMTP_URL: mailbox.url, MAIL_FROM: 'status@upquorum.example' });
  const audience = await openAudience(site);
  await audience.people(subscribers);
  const samples: { queuedSeconds: number; sentSeconds: number }[] = [];
  for (let round = 1; round <= (run.full ? 5 : 3); round++) {
    const mailsBefore = mailbox.mails.length;
    const startedAt = performance.now();
    const incidentId = await audience.incident();
    await until(
      () => queuedOf(site.databaseUrl, incidentId),
      count => count === subscribers,
      60_000,
    );
    const queuedSeconds = (performance.now() - startedAt) / 1000;
    await until(
      async () => mailbox.mails.length - mailsBefore,
      count => count >= subscribers,
      600_000,
    );
    samples.push({ queuedSeconds, sentSeconds: (performance.now() - startedAt) / 1000 });
    run.progress(`queued after ${queuedSeconds.toFixed(2)} s, sent after ${samples.at(-1)?.sentSeconds.toFixed(1)} s`);
  }
  const ids = mailbox.mails.map(mail => mail.headers.get('message-id')?.[0]);
  const expected = samples.length * subscribers;
  const figure = {
    queuedSeconds: round(median(samples.map(sample => sample.queuedSeconds)), 2),
    mailsPerSecond: Math.round(median(samples.map(sample => subscribers / sample.sentSeconds))),
    lost: expected - new Set(ids).size,
    twice: ids.length - new Set(ids).size,
  };
  const pass = figure.queuedSeconds < target.queuedSeconds && figure.lost === 0 && figure.twice === 0;
  return { name: 'fan-out', figure, target, pass, versions: await site.versions(), samples };
}

function queuedOf(databaseUrl: string, incidentId: string): Promise<number> {
  return withSql(databaseUrl, async sql => {
    const row = await sql.row<{ count: number }>('select count(*) as count from deliveries where incident_id = $1', [
      incidentId,
    ]);
    return row?.count ?? 0;
  });
}
