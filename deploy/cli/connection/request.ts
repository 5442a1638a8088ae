import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from '../frame/failure.ts';

const callMs = 30_000;
const longMs = 120_000;
const triesMax = 5;
const allTriesMs = 60_000;
/** Calls that may take long: they read results of days, or write hundreds of resources. */
const longPaths = /^\/v0\/config\/(plan|apply)$|\/backtest$/;
/** Answers that are read as they come, for as long as they last. */
const endlessPaths = /^\/v0\/(events|users\/[^/]+)\/export$/;

export type Sending = {
  version: string;
  /** Writes a line for whoever looks for a fault; null if nobody does. */
  debug: ((line: string) => void) | null;
  random?: () => number;
};

/**
 * Sends a request, again if the connection failed or the server is busy: an Idempotency-Key makes repeated POSTs act
 * once. Redirects are not followed, so that the token goes to its own origin alone.
 */
export async function send(request: Request, { version, debug, random = Math.random }: Sending): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set('User-Agent', `upquorum/${version}`);
  if (request.method === 'POST' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', randomUUID());
  const body = request.body === null ? null : await request.arrayBuffer();
  const { pathname, origin } = new URL(request.url);
  const timeoutMs = longPaths.test(pathname) ? longMs : callMs;
  const signalOf = () =>
    endlessPaths.test(pathname) ? request.signal : AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  const startedMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    const fromMs = performance.now();
    const signal = signalOf();
    const log = (result: string) =>
      debug?.(`${request.method} ${pathname} ${result} ${Math.round(performance.now() - fromMs)} ms`);
    const mayTryAgain = (waitMs: number) =>
      attempt < triesMax && performance.now() - startedMs + waitMs < allTriesMs && !request.signal.aborted;
    const backoffMs = 500 * 2 ** (attempt - 1) * (0.5 + random() / 2);
    try {
      const response = await fetch(request.url, { method: request.method, headers, body, redirect: 'manual', signal });
      log(`${response.status} ${response.headers.get('X-Request-Id') ?? ''}`);
      if (response.status >= 300 && response.status < 400 && response.status !== 304)
        throw redirected(origin, response);
      if (response.status !== 429 && response.status !== 503) return response;
      const waitMs = Math.max(backoffMs, retryAfterMs(response));
      if (!mayTryAgain(waitMs)) return response;
      await response.body?.cancel();
      await wait(waitMs);
    } catch (error) {
      if (error instanceof CommandError || request.signal.aborted) throw error;
      log(reasonOf(error));
      if (!mayTryAgain(backoffMs) || isHopeless(error)) throw unreachable(origin, error);
      await wait(backoffMs);
    }
  }
}

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('Retry-After') ?? '0');
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

function redirected(origin: string, response: Response): CommandError {
  const to = response.headers.get('Location') ?? '';
  const target = URL.canParse(to, origin) ? new URL(to, origin).origin : 'elsewhere';
  return new CommandError(
    `${origin} redirects to ${target}; the token is not sent there`,
    `If that is your server: upquorum login ${target}`,
  );
}

function unreachable(origin: string, error: unknown): CommandError {
  return new CommandError(
    `cannot reach ${origin}: ${reasonOf(error)}`,
    'Is the address right, and the server running?',
  );
}

/** Nobody listens there, or the name is wrong: an immediate answer, which waiting seldom changes. */
function isHopeless(error: unknown): boolean {
  return /ENOTFOUND|CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(reasonOf(error));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'connection refused (ECONNREFUSED)',
    ENOTFOUND: 'no such host (ENOTFOUND)',
    ECONNRESET: 'the connection broke (ECONNRESET)',
    UND_ERR_SOCKET: 'the connection broke',
  };
  if (code !== null && Object.hasOwn(known, code)) return known[code] ?? code;
  return `${cause.message}${code === null || cause.message.includes(code) ? '' : ` (${code})`}`;
}
