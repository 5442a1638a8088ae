import type { AccountNews } from '../../../access/people/account-news.ts';
import { findPerson } from '../../../access/people/store.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { findProject } from '../../../platform/projects/store.ts';
import { emailNotConfigured, type Mailer } from '../../transports/email/send.ts';
import { cancelled, type Outcome } from '../../transports/outcome.ts';
import type { Delivery } from '../delivery.ts';
import { accountEmail } from '../email/account.ts';
import type { Recipient } from './recipient.ts';

export type PersonServices = { sql: Sql; mailer: Mailer | null; baseUrl: string };

/** People by their verified address. Without an SMTP server nothing waits for one: the news would be old. */
export function personRecipient(services: PersonServices): Recipient {
  return { attempt: delivery => sendNews(services, delivery), settled: async () => {} };
}

async function sendNews({ sql, mailer, baseUrl }: PersonServices, delivery: Delivery): Promise<Outcome> {
  if (mailer === null) return cancelled(emailNotConfigured);
  const person = await findPerson(sql, delivery.recipient);
  if (person?.state !== 'active') return cancelled('the person is not active');
  if (person.email === null || !person.email_verified) return cancelled('the person has no verified address');
  const news = delivery.payload as AccountNews;
  const by = 'by' in news && news.by !== null ? await findPerson(sql, news.by) : null;
  const names = { by: by?.name ?? null, project: await findProject(sql, delivery.project_id) };
  return mailer.send(accountEmail(news, names, baseUrl, { to: person.email, deliveryId: delivery.id }));
}
