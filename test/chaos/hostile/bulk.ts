import { randomUUID } from 'node:crypto';
import got, { type OptionsOfTextResponseBody } from 'got';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const anonymousLines = 6;

/** H9: tokens, imports, subscriptions, confirmations and page events in bulk, with a token and by anybody. */
export const createInBulk: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  const subscribers = `/v0/status-pages/${grounds.pageId}/subscribers`;
  const anybody = got.extend({
    prefixUrl: grounds.url,
    throwHttpErrors: false,
    retry: { limit: 0 },
    timeout: { request: 20_000 },
  });
  const post = async (what: string, path: string, options: OptionsOfTextResponseBody) => {
    const { statusCode } = await anybody.post(path, options);
    tally(`${what} ${statusCode}`);
  };
  const event = { name: 'view', props: { text: 'x'.repeat(31_000) } };
  const works: ((count: number) => Promise<unknown>)[] = [
    count => api('POST', '/v0/tokens', { name: `Token ${count}`, scopes: ['*'] }),
    count =>
      api('POST', `${subscribers}/import`, {
        consent: 'none',
        subscribers: Array.from({ length: 1000 }, (_, index) => ({ email: `p${count}-${index}@example.com` })),
      }),
    () =>
      post('subscribe', `status/${grounds.slug}/subscribe`, {
        form: { email: `${randomUUID()}@example.com` },
      }),
    () => post('confirm', `status/${grounds.slug}/confirm?token=${randomUUID()}`, { form: {} }),
  ];
  const pageEvents = (count: number, line: number) =>
    post('page event', `v0/events?project_id=${grounds.projectId}`, {
      headers: {
        'content-type': 'text/plain',
        origin: 'https://example.com',
        ...(line % 2 === 0 ? {} : { 'idempotency-key': randomUUID() }),
      },
      // Half of them have nothing valid and are charged nothing.
      body: JSON.stringify(count % 2 === 0 ? Array.from({ length: 8 }, () => event) : [{ name: '' }]),
    });
  begun();
  await Promise.all([
    repeat(works.length, signal, (count, line) => works[line]?.(count) ?? Promise.resolve()),
    repeat(anonymousLines, signal, pageEvents),
  ]);
};
