import type { DnsCheck } from '#shared/checks/check.ts';
import type { Deadline } from '../../deadline.ts';
import { DialError } from '../../dial.ts';
import type { Answer, AskOptions } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import { makeQuery } from './query.ts';
import { readAnswer } from './read-message.ts';
import { sendDatagram } from './udp.ts';
import { MessageError } from './wire-reader.ts';

/** How often a query is sent, at equal distances within the time limit: datagrams get lost. */
const sentMax = 3;
/** Datagrams that are no answer to a query, until what sends them is given up. */
const foreignMax = 200;

type Found = Omit<Answer, 'message'> & { message: Answer['message'] | 'truncated' };

/**
 * Sends the query to the addresses in turns, to the next one at once when one refuses, until one answers. Rejects with
 * DialError, MessageError or DeadlineError.
 */
export async function askByUdp(
  check: DnsCheck,
  endpoints: readonly Endpoint[],
  { isAllowed, source, eventMs, signal, limitMs }: AskOptions,
  deadline: Deadline,
): Promise<Found> {
  using open = new DisposableStack();
  const { promise, resolve, reject } = Promise.withResolvers<Found>();
  const untried = [...endpoints];
  let [sent, refused] = [0, 0];
  const send = (endpoint: Endpoint) => {
    const query = makeQuery(check);
    let foreign = 0;
    sent += 1;
    const onMessage = (bytes: Buffer) => {
      const message = readAnswer(bytes, query);
      if (message !== null) resolve({ message, endpoint, bytes: bytes.length, atMs: eventMs() });
      else if (++foreign === foreignMax) reject(new MessageError());
    };
    const onError = (code: string) => {
      refused += 1;
      const next = untried.shift();
      if (next !== undefined) send(next);
      else if (refused === sent) reject(new DialError('connect', code, endpoint.address));
    };
    open.use(
      sendDatagram(endpoint, query.bytes, {
        isAllowed,
        source,
        onMessage: bytes => attempt(() => onMessage(bytes)),
        onError,
      }),
    );
  };
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      reject(error);
    }
  };
  const sendNext = (index: number) => {
    const next = untried.shift() ?? endpoints[index % endpoints.length];
    if (next !== undefined) send(next);
  };
  for (let index = 1; index < sentMax; index++) {
    const timer = setTimeout(() => sendNext(index), (limitMs * index) / sentMax);
    open.defer(() => clearTimeout(timer));
  }
  deadline.onExpiry(reject);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  sendNext(0);
  return await promise;
}
