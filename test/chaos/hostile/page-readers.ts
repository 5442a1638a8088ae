import { connect } from 'node:net';
import { wait } from '#shared/wait.ts';
import { apiOf, until } from '../../support/control-plane.ts';
import type { Attack, Grounds, Tally } from './attack.ts';
import { talliedApi } from './calls.ts';

const components = 60;
const pageCharactersMin = 30_000;
const publishedWithinMs = 15_000;
const silentReaders = 60;
const pipelines = 4;
const pipelined = 700;

/** H2: the page without gzip, as hundreds of pipelined HEADs and for readers that do not read, by anybody. */
export const readPagesBadly: Attack = async (grounds, tally, signal, begun) => {
  const { port, slug } = grounds;
  await enlarge(grounds, tally);
  begun();
  const head = `HEAD /status/${slug} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(pipelined);
  const get = `GET /status/${slug} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(50);
  const pipeline = async (): Promise<void> => {
    while (!signal.aborted) await exchange(port, head, signal, () => tally('pipelines'));
  };
  const ignore = async (): Promise<void> => {
    while (!signal.aborted) {
      tally('silent readers');
      await hold(port, get, signal);
    }
  };
  await Promise.all([...Array.from({ length: pipelines }, pipeline), ...Array.from({ length: silentReaders }, ignore)]);
};

/** Adds components until the page is large, and waits until it is published. */
async function enlarge({ url, token, pageId, slug }: Grounds, tally: Tally): Promise<void> {
  const api = talliedApi({ url, token }, tally);
  for (let index = 0; index < components; index++)
    await api('POST', '/v0/components', { status_page_id: pageId, name: `Component ${index}`, show_uptime: true });
  const sizeOf = async () => String((await apiOf(url, '')('GET', `/status/${slug}`)).body).length;
  const size = await until(sizeOf, length => length > pageCharactersMin, publishedWithinMs).catch(sizeOf);
  tally('characters of the page', size);
}

/** Sends all at once and reads until the connection rests or ends. */
function exchange(port: number, text: string, signal: AbortSignal, sent: () => void): Promise<void> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text, sent));
    const end = () => socket.destroy();
    socket.setTimeout(500, end);
    socket.resume();
    socket.on('error', () => undefined);
    signal.addEventListener('abort', end, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      setTimeout(resolve, 20);
    });
  });
}

/** Asks and reads nothing, until the server closes. */
async function hold(port: number, text: string, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text));
    socket.pause();
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
  await wait(100);
}
