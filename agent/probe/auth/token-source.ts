import type { WireAuth } from '#shared/checks/auth.ts';
import type { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { laneOf } from '../../lanes/lane.ts';
import type { ProbeTools } from '../attempt.ts';
import { hostAndPort } from '../connect.ts';
import { egressOf } from '../egress/egress.ts';
import { targetOf } from '../http/connect-http.ts';
import { probe } from '../probe-http.ts';
import { TokenRefusal, type TokenSource } from './signed-in.ts';
import { type Token, type TokenCache, tokenKey } from './token-cache.ts';
import { answerBytesMax, tokenOf, tokenRequest, tooLarge } from './token-request.ts';

const timeoutMs = 10_000;
/** What reading an answer may take of memory: more than its bytes, if it comes in small pieces. */
const memoryMax = 4 * answerBytesMax;

type Tools = ProbeTools & Readonly<{ tokens: TokenCache; bodies: FairPool }>;
type SignedIn = Pick<Assignment, 'lane' | 'url' | 'check' | 'auth' | 'egress'>;

/** Tokens for a monitor, shared with those of its project that sign in alike; undefined if it needs none. */
export function tokenSourceOf(assignment: SignedIn, tools: Tools): TokenSource | undefined {
  const { auth, egress } = assignment;
  if (auth === undefined) return undefined;
  const key = tokenKey(laneOf(assignment), auth, egress);
  const { host, port } = targetOf(new URL(auth.token_url));
  return {
    host: hostAndPort(host, port),
    get: () => tools.tokens.get(key, () => fetchToken({ ...assignment, auth }, tools)),
    forget: value => tools.tokens.forget(key, value),
  };
}

/** Checks of any time limit may wait for it: it has one of its own. Rejects with TokenRefusal. */
async function fetchToken(assignment: SignedIn & { auth: WireAuth }, tools: Tools): Promise<Token> {
  const { auth, egress } = assignment;
  const target = targetOf(new URL(auth.token_url));
  const goesOut = egressOf(tools.trust, egress, target);
  using reservation = tools.bodies.reserve(laneOf(assignment));
  let taken = 0;
  const takeBytes = (bytes: number) => {
    taken += bytes;
    return taken <= memoryMax && reservation.take(bytes);
  };
  const { response, error, failureSource, bytes, remoteIp } = await probe(
    {
      ...tokenRequest(auth),
      url: auth.token_url,
      method: 'POST',
      timeoutMs,
      followRedirects: false,
      // The name that certificates must bear is that of the monitor's own host.
      goesOut: target.host === hostOf(assignment) ? goesOut : { ...goesOut, serverName: null },
      takeBytes,
    },
    tools,
  );
  const token = response === null ? null : tokenOf(response.statusCode ?? 0, response.bodyText, bytes);
  if (token !== null && typeof token !== 'string') return token;
  if (token !== null || error === null || taken > memoryMax)
    throw new TokenRefusal(remoteIp, 'auth_failed', token ?? tooLarge);
  // What is a matter of the agent's own network says nothing about the endpoint.
  const isTargets = failureSource === 'target' || failureSource === null;
  const code = isTargets && error.code !== 'blocked_address' ? 'auth_failed' : error.code;
  throw new TokenRefusal(remoteIp, code, `the token endpoint failed: ${error.message}`, failureSource ?? 'target');
}

function hostOf({ url, check }: SignedIn): string {
  return check !== undefined && 'host' in check ? check.host : targetOf(new URL(url)).host;
}
