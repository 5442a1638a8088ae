import { addTiming, beginAgain, type ProbeOutcome } from '../attempt.ts';
import { type Deadline, DeadlineError, within } from '../deadline.ts';
import { ProbeRefusal } from '../probe-refusal.ts';
import type { UsedToken } from './token-cache.ts';

/** Where the tokens of a monitor come from. `host`: the endpoint, with its port. */
export type TokenSource = Readonly<{
  host: string;
  /** Rejects with TokenRefusal. */
  get(): Promise<UsedToken>;
  /** The target takes this one no more. */
  forget(value: string): void;
}>;

/** There is no token. `remoteIp`: the address that was tried last, if any. */
export class TokenRefusal extends ProbeRefusal {
  override name = 'TokenRefusal';
  readonly remoteIp: string | null;
  constructor(remoteIp: string | null, ...of: ConstructorParameters<typeof ProbeRefusal>) {
    super(...of);
    this.remoteIp = remoteIp;
  }
}

/**
 * Runs an attempt with a token, or without one if there is no source. If the target refuses one that was fetched for
 * an earlier check, the attempt begins again with a new one, once. The latency is that of the last request alone.
 */
export async function signedIn(
  source: TokenSource | undefined,
  { deadline, outcome }: { deadline: Deadline; outcome: ProbeOutcome },
  run: (authorization: string | null) => Promise<number>,
): Promise<number> {
  if (source === undefined) return run(null);
  const { value, isFresh } = await tokenFor(source, deadline, outcome);
  let failure: unknown;
  const endedMs = await run(`Bearer ${value}`).catch((error: unknown) => {
    failure = error;
    return null;
  });
  if (!isFresh && outcome.refusesToken === true) {
    source.forget(value);
    beginAgain(outcome);
    return run(`Bearer ${(await tokenFor(source, deadline, outcome)).value}`);
  }
  if (endedMs === null) throw failure;
  return endedMs;
}

async function tokenFor(source: TokenSource, deadline: Deadline, outcome: ProbeOutcome): Promise<UsedToken> {
  const startedMs = performance.now();
  outcome.phase = 'auth';
  outcome.host = source.host;
  const token = await within(deadline, source.get()).catch(error => {
    addTiming(outcome.timings, 'auth_ms', performance.now() - startedMs);
    if (error instanceof TokenRefusal) outcome.remoteIp = error.remoteIp;
    throw error instanceof DeadlineError ? new ProbeRefusal('auth_failed', tooLate) : error;
  });
  outcome.beganMs = performance.now();
  if (token.isFresh) addTiming(outcome.timings, 'auth_ms', outcome.beganMs - startedMs);
  outcome.tokens = [...(outcome.tokens ?? []), token.value];
  return token;
}

const tooLate = 'the token endpoint did not answer within the time limit';
