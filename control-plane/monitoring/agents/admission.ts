import type { Duplex } from 'node:stream';
import { newId } from '#shared/ids.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import { closeAfter } from '../../platform/http/middleware/node-errors.ts';
import { challengeOf, Problem, problemBody } from '../../platform/http/problem.ts';
import { isBearer } from '../../platform/secrets/bearer.ts';
import type { AdmittedAgent } from './store.ts';
import type { UpgradeRequest } from './upgrade.ts';

const connectPath = '/v0/agents/connect';

/** The secret in an Authorization header, however it is spelled; empty if there is none. */
export function secretOf(header: string): string {
  return /^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '';
}

/** The secret of an agent that asks to connect, by what the request says. Throws a Problem if it cannot be one. */
export function agentSecretOf({ url, headers }: UpgradeRequest): string {
  if ((url ?? '').split('?')[0] !== connectPath) throw new Problem('not_found');
  const header = headers.authorization;
  if (header === undefined) throw new Problem('missing_token');
  const secret = secretOf(header);
  if (!isBearer('upa', secret)) throw new Problem('invalid_token');
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map(text => text.trim());
  if (!offered.includes(subprotocol))
    throw new Problem('invalid_parameter', { detail: `the subprotocol ${subprotocol} is required` });
  return secret;
}

/** The agent that asks to connect. Throws a Problem if it may not, or what the database throws. */
export async function admitAgent(
  request: UpgradeRequest,
  find: (secret: string) => Promise<AdmittedAgent | null>,
  draining: boolean,
): Promise<AdmittedAgent> {
  const secret = agentSecretOf(request);
  if (draining) throw new Problem('unavailable', { retryAfter: 1 });
  const agent = await find(secret);
  if (agent === null) throw new Problem('invalid_token');
  return agent;
}

/** Answers an upgrade request with a problem. Anything but a Problem is our own absence: the agent tries again. */
export function refuseUpgrade(socket: Duplex, error: unknown, baseUrl: string): void {
  const problem = error instanceof Problem ? error : new Problem('unavailable', { retryAfter: 1 });
  const requestId = newId('req');
  const body = JSON.stringify(problemBody(problem, { baseUrl, path: connectPath, requestId }));
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(problem.status === 401 ? [`WWW-Authenticate: ${challengeOf(problem)}`] : []),
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  closeAfter(socket, `${head.join('\r\n')}\r\n\r\n${body}`);
}
