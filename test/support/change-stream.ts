import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { ExecutionContext } from 'ava';

export type StreamEvent = { event: string; id: number | null; data: Record<string, unknown> };

/** An open `GET /v0/changes`. */
export type ChangeStream = {
  response: IncomingMessage;
  /** Waits for the next event that is no beat. */
  next(): Promise<StreamEvent>;
  /** Waits for the next event of this kind, and drops those before it. */
  until(event: string, matches?: (data: Record<string, unknown>) => boolean): Promise<StreamEvent>;
  close(): void;
};

export async function openChanges(
  t: ExecutionContext,
  url: string,
  token: string,
  lastEventId?: number,
): Promise<ChangeStream> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { 'Last-Event-ID': String(lastEventId) }),
  };
  const opening = request(`${url}/v0/changes`, { headers }).end();
  const [response] = (await once(opening, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  t.teardown(() => response.destroy());
  const events = readEvents(response);
  const read = async (): Promise<StreamEvent> => {
    const { value, done } = await events.next();
    if (done === true) throw new Error('the stream has ended');
    return value;
  };
  const until: ChangeStream['until'] = async (event, matches = () => true) => {
    let found = await read();
    while (found.event !== event || !matches(found.data)) found = await read();
    return found;
  };
  const next = async (): Promise<StreamEvent> => {
    let found = await read();
    while (found.event === 'beat') found = await read();
    return found;
  };
  return { response, next, until, close: () => response.destroy() };
}

/** An open `GET /v0/changes`: what it says, and when it ended. */
export async function listen(t: ExecutionContext, url: string, headers: Record<string, string>) {
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const answer = await fetch(`${url}/v0/changes`, { headers, signal: closing.signal });
  if (answer.status !== 200) throw new Error(await answer.text());
  let text = '';
  let ready = () => {};
  const isReady = new Promise<void>(resolve => {
    ready = resolve;
  });
  const read = async (): Promise<number> => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('event: ready')) ready();
    }
    return performance.now();
  };
  const ended = read();
  // Whatever happens is seen where the end is awaited.
  ended.catch(() => {});
  await isReady;
  return { ended, said: () => text };
}

async function* readEvents(response: IncomingMessage): AsyncGenerator<StreamEvent> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) yield parseEvent(part);
  }
}

function parseEvent(part: string): StreamEvent {
  const fields = new Map(part.split('\n').map(line => line.split(/: (.*)/s, 2) as [string, string]));
  const id = fields.get('id');
  return {
    event: fields.get('event') ?? '',
    id: id === undefined ? null : Number(id),
    data: JSON.parse(fields.get('data') ?? '{}'),
  };
}
