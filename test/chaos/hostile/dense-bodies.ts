import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import got from 'got';
import WebSocket from 'ws';
import { subprotocol } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import type { Attack, Grounds, Tally } from './attack.ts';
import { repeat } from './calls.ts';

const [anonymousLines, tokenLines, apiLines, agentLines] = [6, 2, 3, 3];
const unsentMax = 4 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** JSON of about that many bytes which is nothing but empty lists: the most values a parser makes of a byte. */
const lists = (bytes: number): string => `[${'[],'.repeat(Math.floor(bytes / 3))}[]]`;

/** H10: bodies and messages that are small to send and large to parse, by anybody, with a token and by agents. */
export const sendDense: Attack = async (grounds, tally, signal, begun) => {
  const client = got.extend({
    prefixUrl: grounds.url,
    throwHttpErrors: false,
    retry: { limit: 0 },
    timeout: { request: 20_000 },
  });
  const post = async (what: string, path: string, headers: Record<string, string>, body: string | Buffer) => {
    const { statusCode } = await client.post(path, { headers, body });
    tally(`${what} ${statusCode}`);
  };
  const authorization = `Bearer ${grounds.token}`;
  const compressed = { 'content-encoding': 'gzip', origin: 'https://example.com' };
  const [small, large] = [gzipSync(lists(260_000)), gzipSync(lists(5 * mebibyte - 10))];
  const key = randomUUID();
  const json = { authorization, 'content-type': 'application/json', 'idempotency-key': key };
  await post('first of its key', 'v0/monitors', json, '{}');
  begun();
  await Promise.all([
    repeat(anonymousLines, signal, () =>
      post('page', `v0/events?project_id=${grounds.projectId}`, { ...compressed, 'content-type': 'text/plain' }, small),
    ),
    repeat(tokenLines, signal, () =>
      post('events', 'v0/events', { ...compressed, authorization, 'content-type': 'application/json' }, large),
    ),
    // The key was answered before: what comes with it is a repetition, or another body.
    repeat(apiLines, signal, count => post('api', 'v0/monitors', json, `{"a":${count},"b":${lists(mebibyte - 100)}}`)),
    repeat(agentLines, signal, (_, line) => flood(grounds, tally, signal, line)),
  ]);
};

async function flood({ url, agentSecrets }: Grounds, tally: Tally, signal: AbortSignal, line: number): Promise<void> {
  const address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
  const headers = { authorization: `Bearer ${agentSecrets[line]}` };
  const socket = new WebSocket(address, subprotocol, { headers });
  socket.on('error', () => undefined);
  const opened = once(socket, 'open').then(() => true);
  const closed = new Promise<false>(resolve => socket.once('close', () => resolve(false)));
  if (!(await Promise.race([opened, closed]).catch(() => false))) return void (await wait(100));
  tally('connections');
  const spool = { count: 0, bytes: 0, dropped: 0 };
  const held = { revision: 0, digest: '' };
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, version: 'h', boot_id: 'h', held, spool }));
  const missed = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]));
  const messages = [
    `{"type":"applied","revision":1,"digest":"","x":${lists(mebibyte - 100)}}`,
    JSON.stringify({ type: 'vitals', missed }),
    `{"type":"results","from_seq":1,"to_seq":1,"results":${lists(mebibyte - 100)}}`,
  ];
  while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
    if (socket.bufferedAmount < unsentMax) {
      socket.send(messages[line % messages.length] ?? '');
      tally('messages');
    }
    await wait(5);
  }
  socket.terminate();
  await wait(100);
}
