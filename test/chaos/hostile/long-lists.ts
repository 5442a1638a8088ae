import { connect } from 'node:net';
import { wait } from '#shared/wait.ts';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const monitors = 12;
const readers = 16;
const silentReaders = 12;

/** H7: the longest lists and reports, in parallel, and for clients that do not read. */
export const listEverything: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  const assertions = Array.from({ length: 20 }, () => ({ type: 'body_contains', value: 'x'.repeat(8192) }));
  let monitorId = '';
  for (let index = 0; index < monitors; index++) {
    const body = { name: `Long ${index}`, url: 'http://127.0.0.1:1/', interval_seconds: 3600, assertions };
    const made = await api('POST', '/v0/monitors', { ...body, regions: ['hostile-own'] });
    monitorId = String(made.body.id ?? monitorId);
  }
  const initial_update = { state: 'investigating', body: 'word '.repeat(4900) };
  for (let index = 0; index < monitors; index++)
    await api('POST', '/v0/incidents', {
      title: `Long ${index}`,
      severity: 'p3',
      status_page_id: grounds.pageId,
      initial_update,
    });
  const paths = [
    '/v0/monitors?limit=200',
    '/v0/incidents?limit=200',
    `/v0/monitors/${monitorId}/checks?limit=200`,
    `/v0/monitors/${monitorId}/uptime?granularity=hour&from=2026-11-01`,
    '/v0/deliveries?limit=200',
  ];
  const head = `GET /v0/monitors?limit=200 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${grounds.token}\r\n\r\n`;
  begun();
  await Promise.all([
    repeat(readers, signal, (count, line) => api('GET', paths[(count + line) % paths.length] ?? '')),
    repeat(silentReaders, signal, () => ignore(grounds.port, head, signal)),
  ]);
};

/** Asks and reads nothing, until the server closes or the attack ends. */
async function ignore(port: number, head: string, signal: AbortSignal): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(head));
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.pause();
  const end = () => socket.destroy();
  signal.addEventListener('abort', end, { once: true });
  await closed;
  signal.removeEventListener('abort', end);
  await wait(200);
}
