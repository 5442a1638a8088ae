import { startTarget, type Target } from '../../support/target.ts';

/** A message as Slack received it. */
export type SlackMessage = { at: number; text: string };

/** A stand-in for Slack's API that accepts everything. */
export type Slack = AsyncDisposable & { apiUrl: string; messages: SlackMessage[] };

export async function startSlack(): Promise<Slack> {
  const messages: SlackMessage[] = [];
  const target: Target = await startTarget((_, response) => {
    const text = target.requests.at(-1)?.body ?? '';
    messages.push({ at: Date.now(), text });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: true, channel: 'C1', ts: `1.${messages.length}` }));
  });
  return {
    apiUrl: `${target.url}api`,
    messages,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}
