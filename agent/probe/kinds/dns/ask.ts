import type { DnsCheck } from '#shared/checks/check.ts';
import { Deadline, DeadlineError } from '../../deadline.ts';
import { DialError } from '../../dial.ts';
import type { Answer, AskOptions } from './answer.ts';
import { askByUdp } from './ask-by-udp.ts';
import type { Endpoint } from './endpoint.ts';
import { makeQuery } from './query.ts';
import { readAnswer } from './read-message.ts';
import { askByTcp } from './tcp.ts';
import { MessageError } from './wire-reader.ts';

/** The server, or none of several, answers within the time limit. */
export class SilenceError extends Error {
  override name = 'SilenceError';
}

/**
 * Asks a server that has these addresses, or several that may answer in place of each other. Rejects with SilenceError,
 * MessageError, DialError, ExchangeError or BodyError.
 */
export async function ask(check: DnsCheck, endpoints: readonly Endpoint[], options: AskOptions): Promise<Answer> {
  using deadline = new Deadline(options.limitMs);
  try {
    if (check.transport === 'tcp') return await askInTurns(check, endpoints, options, deadline);
    const found = await askByUdp(check, endpoints, options, deadline);
    if (found.message !== 'truncated') return { ...found, message: found.message };
    return await askOneByTcp(check, found.endpoint, options, deadline);
  } catch (error) {
    throw isSilence(error) ? new SilenceError() : error;
  }
}

/** Each address gets an equal part of the time that is left. */
async function askInTurns(
  check: DnsCheck,
  endpoints: readonly Endpoint[],
  options: AskOptions,
  deadline: Deadline,
): Promise<Answer> {
  let failure: unknown = new SilenceError();
  for (const [index, endpoint] of endpoints.entries()) {
    if (options.signal.aborted) break;
    using part = new Deadline(deadline.leftMs / (endpoints.length - index));
    const answer = await askOneByTcp(check, endpoint, options, part).catch((error: unknown) => {
      failure = error;
      return null;
    });
    if (answer !== null) return answer;
  }
  throw failure;
}

async function askOneByTcp(
  check: DnsCheck,
  endpoint: Endpoint,
  options: AskOptions,
  deadline: Deadline,
): Promise<Answer> {
  const query = makeQuery(check);
  const bytes = await askByTcp(endpoint, query.bytes, options, deadline);
  const message = readAnswer(bytes, query);
  if (message === null || message === 'truncated') throw new MessageError();
  return { message, endpoint, bytes: bytes.length, atMs: options.eventMs() };
}

function isSilence(error: unknown): boolean {
  return error instanceof DeadlineError || (error instanceof DialError && error.code === 'ETIMEDOUT');
}
