import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { type Answer, allows, type Caller, type Endpoint, type Received, receivingEndpoint } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import type { ChangeFeed } from './feed.ts';
import { streamChanges } from './stream.ts';
import { topics } from './topic.ts';

export type ChangeServices = {
  feed: ChangeFeed;
  authenticate(headers: IncomingHttpHeaders): Promise<Caller>;
  /** Charges a request to the caller. Throws `rate_limited`. */
  charge(caller: Caller): Promise<unknown>;
};

const scope = 'monitors:read';
const perProjectMax = 200;
const totalMax = 2000;
const retryAfterSeconds = 30;

const changeSchema = z
  .object({
    topic: z.enum(topics).describe('what changed, by the name of its list'),
    ids: z.array(z.string()).nullable().describe('at most 100; null: more than these, or which is not known'),
  })
  .meta({ title: 'Change' });

/** The stream of what changes in a project. */
export function changeEndpoints(services: ChangeServices): readonly Endpoint[] {
  const open = new Map<string, number>();
  return [
    receivingEndpoint({
      method: 'get',
      path: '/v0/changes',
      summary: 'Stream changes as server-sent events; read the changed resources with the other endpoints',
      operation: 'streamChanges',
      tag: 'Overview',
      scope,
      query: z.strictObject({}),
      body: null,
      answers: { 200: changeSchema },
      mediaTypes: ['text/event-stream'],
      receive: received => openStream(services, open, received),
    }),
  ];
}

/** A stream holds no connection of the database, and no place of the project's other requests. */
async function openStream(
  { feed, authenticate, charge }: ChangeServices,
  open: Map<string, number>,
  { request, identified }: Received,
): Promise<Answer> {
  const identify = async (): Promise<Caller> => {
    const caller = await authenticate(request.headers);
    if (allows(caller.scopes, scope)) return caller;
    throw new Problem('insufficient_scope', { detail: `this endpoint needs the scope ${scope}` });
  };
  const caller = await identify();
  identified(caller);
  await charge(caller);
  // Who is gone by now has closed the socket already: its end would never be seen, and the stream counted for ever.
  if (request.socket.destroyed) throw new Problem('request_timeout');
  const own = open.get(caller.projectId) ?? 0;
  const total = [...open.values()].reduce((sum, count) => sum + count, 0);
  if (own >= perProjectMax || total >= totalMax)
    throw new Problem('rate_limited', { retryAfter: retryAfterSeconds, detail: 'too many streams are open' });
  const closing = new AbortController();
  open.set(caller.projectId, own + 1);
  request.socket.once('close', () => {
    closing.abort();
    const left = (open.get(caller.projectId) ?? 1) - 1;
    if (left > 0) open.set(caller.projectId, left);
    else open.delete(caller.projectId);
  });
  const lastEventId = readEventId(request.headers['last-event-id']);
  const signal = AbortSignal.any([closing.signal, feed.closing]);
  const lines = () => streamChanges({ feed, caller, lastEventId, identify, signal });
  return {
    status: 200,
    // The socket serves nothing else: its end is the stream's. Proxies must not wait for more.
    headers: { Connection: 'close', 'X-Accel-Buffering': 'no' },
    stream: { type: 'text/event-stream', lines },
  };
}

/** What is no id of ours is as good as none. */
function readEventId(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : null;
}
