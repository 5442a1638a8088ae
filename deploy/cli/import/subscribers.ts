import { join } from 'node:path';
import { dataOf, type Session } from '../connection/session.ts';
import { CommandError } from '../frame/failure.ts';
import { textOf } from './text-file.ts';

type Subscriber = { status_page: string; email: string };

/** Subscribers of one request. */
const atOnce = 1000;

export async function readSubscribers(folder: string): Promise<Subscriber[]> {
  return JSON.parse((await textOf(join(folder, 'subscribers.json'))) ?? '[]') as Subscriber[];
}

/** Sends them to their pages, which leave addresses that they have as they are. Resolves to how many were sent. */
export async function sendSubscribers(
  { client }: Session,
  manager: string,
  subscribers: readonly Subscriber[],
  consent: string,
): Promise<number> {
  const pages = await dataOf(client.GET('/v0/status-pages', { params: { query: { limit: 200 } } }));
  for (const key of new Set(subscribers.map(({ status_page }) => status_page))) {
    const page = pages.data.find(({ key: own, managed_by }) => own === key && managed_by === manager);
    if (page === undefined)
      throw new CommandError(`there is no status page with the key ${key}`, 'First: upquorum apply');
    const emails = subscribers.filter(({ status_page }) => status_page === key).map(({ email }) => ({ email }));
    for (let at = 0; at < emails.length; at += atOnce) {
      const body = { consent, subscribers: emails.slice(at, at + atOnce) };
      await dataOf(
        client.POST('/v0/status-pages/{id}/subscribers/import', { params: { path: { id: page.id } }, body }),
      );
    }
  }
  return subscribers.length;
}
