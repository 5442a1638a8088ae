import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

export type CollectedEvent = {
  name: string;
  timestamp: string;
  external_user_id?: string;
  dedup_id: string;
  props?: unknown;
  project: string;
};

/** What stands in for the server: it delivers the client's script and collects what pages send. */
export type EventCollector = {
  url: string;
  /** The tag that loads the script from here. */
  script: string;
  /** Events of requests that were answered with 202, in order. */
  events: CollectedEvent[];
  /** Requests that came, whatever their answer. */
  requests: number;
  /** Answers the next requests; `hang` never answers, `cut` ends the connection. Without one: 202. */
  plan: ('hang' | 'cut' | { status: number; body: object })[];
  /** Until when the script is not delivered. */
  scriptReady: Promise<void>;
};

const bundle = readFileSync(new URL('../../control-plane/web/browser-client/flows.js', import.meta.url), 'utf8');
const receipt = { status: 202, body: {} };

/** It ends with the test. */
export async function openCollector(t: ExecutionContext): Promise<EventCollector> {
  const collector: EventCollector = {
    url: '',
    script: '',
    events: [],
    requests: 0,
    plan: [],
    scriptReady: Promise.resolve(),
  };
  const server = createServer((request, response) => void answer(collector, request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  t.teardown(() => server.closeAllConnections());
  collector.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  collector.script = `<script defer src="${collector.url}/client/v0/flows.js"></script>`;
  return collector;
}

async function answer(collector: EventCollector, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (request.method === 'GET') {
    await collector.scriptReady;
    response.setHeader('Content-Type', 'text/javascript');
    return void response.end(bundle);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  collector.requests += 1;
  const planned = collector.plan.shift() ?? receipt;
  if (planned === 'hang') return;
  if (planned === 'cut') return void request.socket.destroy();
  if (planned.status === 202) {
    const project = new URL(request.url ?? '', collector.url).searchParams.get('project_id') ?? '';
    for (const event of JSON.parse(Buffer.concat(chunks).toString()) as CollectedEvent[])
      collector.events.push({ ...event, project });
  }
  response.statusCode = planned.status;
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(planned.body));
}
