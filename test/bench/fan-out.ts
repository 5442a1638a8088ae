import { until, withSql } from '../support/control-plane.ts';
import { startMailbox } from '../support/mailbox.ts';
import { openAudience } from './load/audience.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const subscribers = 10_000;
const target = { queuedSeconds: 5, lost: 0, twice: 0 };

/**
 * Fan-out: from posting an update to a queued delivery for each of 10,000 subscribers, then to the last email accepted.
 */
export async function measureFanOut(run: RowRun): Promise<Row> {
  const mailbox = run.opened.use(await startMailbox());
  const site = await openSite(run, { SMTP_URL: mailbox.url, MAIL_FROM: 'status@upquorum.example' });
  const audience = await openAudience(site);
  await audience.people(subscribers);
  const queuedSeconds: number[] = [];
  const queue = async () => {
    const startedAt = performance.now();
    const incidentId = await audience.incident();
    await until(
      () => queuedOf(site.databaseUrl, incidentId),
      count => count === subscribers,
      60_000,
    );
    queuedSeconds.push((performance.now() - startedAt) / 1000);
    run.progress(`queued after ${queuedSeconds.at(-1)?.toFixed(2)} s`);
    return incidentId;
  };
  // Emails of a deleted incident are not sent.
  for (let pass = 1; pass < (run.full ? 10 : 3); pass++) await audience.remove(await queue());
  const begun = mailbox.emails.length;
  const startedAt = performance.now();
  const incidentId = await queue();
  await until(
    async () => (await audience.counts(incidentId)).queued ?? 0,
    count => count === 0,
    1_200_000,
  );
  const sentSeconds = (performance.now() - startedAt) / 1000;
  const ids = mailbox.emails
    .slice(begun)
    .filter(mail => mail.headers.get('references')?.[0]?.includes(incidentId) === true)
    .map(mail => mail.headers.get('message-id')?.[0]);
  const figure = {
    queuedSeconds: round(median(queuedSeconds), 2),
    mailsPerSecond: Math.round(subscribers / sentSeconds),
    lost: subscribers - new Set(ids).size,
    twice: ids.length - new Set(ids).size,
  };
  const pass = figure.queuedSeconds < target.queuedSeconds && figure.lost === 0 && figure.twice === 0;
  const samples = { queuedSeconds, sentSeconds };
  return { name: 'fan-out', figure, target, pass, versions: await site.versions(), samples };
}

function queuedOf(databaseUrl: string, incidentId: string): Promise<number> {
  return withSql(databaseUrl, async sql => {
    const row = await sql.row<{
      count: number;
    }>`select count(*) as count from deliveries where incident_id = ${incidentId}`;
    return row?.count ?? 0;
  });
}
