import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, type Received, rawEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { ChangeFeed } from './feed.ts';
import { streamChanges } from './stream.ts';
import { StreamLimit } from './stream-limit.ts';
import { topics } from './topic.ts';

export type ChangeServices = {
  feed: ChangeFeed;
  authenticate(headers: IncomingHttpHeaders): Promise<Caller>;
  /** Charges a request to the caller. Throws `rate_limited`. */
  charge(caller: Caller): Promise<unknown>;
};

const limits = { perProject: 200, total: 2000 };
/** A stream that has to make room, and whose client does not read its end, is cut. */
const endWithinMs = 5000;

const changeSchema = z
  .object({
    topic: z.enum(topics).describe('Kind of resources that changed, by the name of their list.'),
    ids: z
      .array(z.string())
      .nullable()
      .describe('IDs of the resources that changed, at most 100; null for more, or if they are not known.'),
  })
  .meta({ title: 'Change' });

/** The stream of what changes in a project. */
export function changeEndpoints(services: ChangeServices): readonly Endpoint[] {
  const places = new StreamLimit(limits);
  return [
    rawEndpoint({
      method: 'get',
      path: '/v0/changes',
      summary: 'Stream changes as server-sent events; read the changed resources with the other endpoints',
      operation: 'streamChanges',
      tag: 'Overview',
      // Who may hear of what is decided by topic.
      scope: null,
      query: z.strictObject({}),
      body: null,
      answers: { 200: changeSchema },
      mediaTypes: ['text/event-stream'],
      handle: received => openStream(services, places, received),
    }),
  ];
}

/** A stream holds no connection of the database, and no place of the project's other requests. */
async function openStream(
  { feed, authenticate, charge }: ChangeServices,
  places: StreamLimit,
  { request, identified }: Received,
): Promise<Answer> {
  const identify = () => authenticate(request.headers);
  const caller = await identify();
  identified(caller);
  await charge(caller);
  // Who is gone by now has closed the socket already: its end would never be seen, and the stream counted for ever.
  if (request.socket.destroyed) throw new Problem('request_timeout');
  const closing = new AbortController();
  const giveBack = places.take(caller.projectId, () => {
    closing.abort();
    request.socket.setTimeout(endWithinMs, () => request.socket.destroy());
  });
  request.socket.once('close', () => {
    closing.abort();
    giveBack();
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
