import { once } from 'node:events';
import WebSocket from 'ws';
import { hourMs } from '#shared/duration.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import { wait } from '#shared/wait.ts';
import { apiOf } from '../../support/control-plane.ts';
import { badResults, goodResult } from '../../support/fake-agent.ts';
import type { Attack } from './attack.ts';

const perMessage = 400;
const unsentMax = 4 * 1024 * 1024;
const hello = JSON.stringify({
  type: 'hello',
  protocol: 1,
  version: 'hostile',
  boot_id: 'hostile',
  held: { revision: 0, digest: '' },
  spool: { count: 0, bytes: 0, dropped: 0 },
});
const vitals = JSON.stringify({
  type: 'vitals',
  clock_offset_ms: 0,
  assignments: 1,
  checks: 1,
  period_ms: 5000,
  queue_depth: 0,
  missed: {},
  late_starts: 0,
  rss_bytes: 1,
  spool: { count: 0, bytes: 0, dropped: 0 },
});

/** What one message contains; `next` counts the agent's results. */
type Content = (monitorId: string, next: number) => unknown[];

const blank = {
  config_version: 1,
  kind: 'scheduled',
  attempt: 1,
  status: 'ok',
  latency_ms: 12.5,
  timings: null,
  status_code: 200,
  error: null,
  failure_source: null,
  assertions: [],
  remote_ip: null,
  bytes: 10,
  truncated: false,
  tls: null,
};

const many = (make: (index: number) => object[]): object[] =>
  Array.from({ length: perMessage }, (_, index) => make(index))
    .flat()
    .slice(0, perMessage);

const contents: readonly Content[] = [
  // Forged slots, all in one bin of one hour: the histogram’s smallint.
  (id, next) => many(index => [goodResult(id, Math.floor(Date.now() / hourMs) * hourMs - ((next + index) % hourMs))]),
  // Confirmations that nobody asked for.
  (id, next) => many(index => [goodResult(id, Date.now() - ((next + index) % 60_000), { kind: 'confirm' })]),
  // Late and alternating: the history has to be computed again.
  (id, next) =>
    many(index => {
      const at = Date.now() - 20 * hourMs - (next + index) * 2000;
      return index % 2 === 0 ? [goodResult(id, at)] : badResults(id, at);
    }),
  // Poison: numbers and texts that a database may refuse.
  id =>
    many(index => [{ ...goodResult(id, Date.now() - index), bytes: 2 ** 62, remote_ip: '\u0000', status_code: 42 }]),
];

/** H4: agents of a private region send forged, late and malformed results and messages as fast as the socket takes. */
export const floodFromAgent: Attack = async ({ url, token, agentSecrets }, tally, signal, begun) => {
  const api = apiOf(url, token);
  const body = { name: 'own', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions: ['hostile-own'] };
  const monitorId = String((await api('POST', '/v0/monitors', body)).body.id);
  begun();
  const address = `${url.replace(/^http/, 'ws')}/v0/agents/connect`;
  const run = async (index: number): Promise<void> => {
    let next = 0;
    while (!signal.aborted) {
      const secret = agentSecrets[index % agentSecrets.length] ?? '';
      const socket = new WebSocket(address, subprotocol, { headers: { authorization: `Bearer ${secret}` } });
      socket.on('error', () => undefined);
      const opened = once(socket, 'open').then(() => true);
      const closed = new Promise<false>(resolve => socket.once('close', () => resolve(false)));
      if (await Promise.race([opened, closed]).catch(() => false)) {
        tally('connections');
        socket.send(hello);
        const content = contents[index];
        // The last agent does not read its acknowledgements.
        if (index === contents.length) socket.pause();
        while (!signal.aborted && socket.readyState === WebSocket.OPEN) {
          if (socket.bufferedAmount > unsentMax) {
            await wait(20);
            continue;
          }
          if (content === undefined) {
            for (let count = 0; count < 200; count++) socket.send(vitals);
            tally('vitals', 200);
          } else {
            const results = content(monitorId, next);
            const numbered = results.map((result, place) => ({ ...blank, ...Object(result), seq: next + place + 1 }));
            const [from_seq, to_seq] = [next + 1, next + results.length];
            socket.send(JSON.stringify({ type: 'results', from_seq, to_seq, results: numbered }));
            next += results.length;
            tally('results', results.length);
          }
          await wait(5);
        }
      }
      socket.terminate();
      await wait(100);
    }
  };
  await Promise.all(Array.from({ length: contents.length + 2 }, (_, index) => run(index)));
};
