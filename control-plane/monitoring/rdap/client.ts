import type { DomainFacts } from '#shared/checks/facts.ts';
import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import { type OutboundAnswer, OutboundError, type OutboundReader } from '../../platform/http/outbound.ts';
import { readAnswer } from './answer.ts';

/** What one lookup came to. `server` is null where nobody was asked. */
export type Lookup =
  | { type: 'found'; facts: DomainFacts }
  | { type: 'not_registered'; server: string }
  /** Nothing is known of the name. `retryAfterMs`: how long the server asks to be left alone. */
  | { type: 'failed'; message: string; server: string; retryAfterMs: number | null }
  /** No registry of the suffix answers. */
  | { type: 'no_registry' };

/** Waits until a server may be asked; false if it is to be left alone for longer. */
export type Turn = (server: string) => Promise<boolean>;

/** Time of a lookup with all its redirects. */
export const lookupTimeoutMs = 15 * secondMs;
export const documentBytesMax = 262_144;
const redirectsMax = 3;
const retryAfterMax = dayMs;

const sentences = {
  blocked_address: 'the address of the server is not allowed',
  dns_failure: 'the name of the server could not be resolved',
  timeout: 'the server did not answer within 15 seconds',
  tls_error: 'the TLS handshake with the server failed',
  connect_failed: 'the connection to the server failed',
} as const;

/**
 * Asks a registry about a name. The turn at its first server is the caller's. Never throws for what the network or a
 * server did.
 */
export async function lookUp(
  reader: OutboundReader,
  { name, base, turn, nowMs }: { name: string; base: string; turn: Turn; nowMs: number },
): Promise<Lookup> {
  let deadline = performance.now() + lookupTimeoutMs;
  let url = new URL(`domain/${encodeURIComponent(name)}`, base);
  const failed = (message: string, retryAfterMs: number | null = null): Lookup => ({
    type: 'failed',
    message,
    server: url.host,
    retryAfterMs,
  });
  for (let redirects = 0; ; redirects++) {
    const answer = await fetchDocument(reader, url, deadline - performance.now());
    if (typeof answer === 'string') return failed(answer);
    const { status } = answer;
    if (status === 404) return { type: 'not_registered', server: url.host };
    if (status === 200) {
      const facts = readAnswer(answer.body, name, url.host);
      return facts === null ? failed('the answer is not one about this domain') : { type: 'found', facts };
    }
    const location = status >= 300 && status < 400 ? locationOf(answer, url) : null;
    if (location === null) return failed(`the server answered with status ${status}`, retryAfterOf(answer, nowMs));
    if (redirects === redirectsMax) return failed(`more than ${redirectsMax} redirects`);
    url = location;
    const waitedFrom = performance.now();
    const isOurTurn = await turn(url.host);
    // The server has nothing to do with how long we wait.
    deadline += performance.now() - waitedFrom;
    if (!isOurTurn) return failed('the server asked to be left alone for a while');
  }
}

/** The text of a document, or why there is none. */
async function fetchDocument(reader: OutboundReader, url: URL, timeoutMs: number): Promise<OutboundAnswer | string> {
  if (timeoutMs <= 0) return sentences.timeout;
  const headers = { accept: 'application/rdap+json, application/json;q=0.9' };
  try {
    return await reader.get({
      url: url.href,
      headers,
      bodyBytesMax: documentBytesMax,
      timeoutMs: Math.ceil(timeoutMs),
    });
  } catch (error) {
    if (error instanceof OutboundError) return sentences[error.code];
    throw error;
  }
}

/** Null for what is no address, has credentials, or leads from HTTPS to HTTP. */
function locationOf({ headers }: OutboundAnswer, from: URL): URL | null {
  const { location } = headers;
  const url = typeof location === 'string' ? URL.parse(location, from.href) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return from.protocol === 'https:' && url.protocol === 'http:' ? null : url;
}

/** Of 429 and 503: seconds or a date (RFC 9110), at most a day; an hour where a 429 does not say. */
function retryAfterOf({ status, headers }: OutboundAnswer, nowMs: number): number | null {
  if (status !== 429 && status !== 503) return null;
  const text = headers['retry-after'];
  const seconds = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) * secondMs : null;
  const waitMs = seconds ?? (typeof text === 'string' ? Date.parse(text) - nowMs : Number.NaN);
  if (Number.isFinite(waitMs)) return Math.min(Math.max(waitMs, 0), retryAfterMax);
  return status === 429 ? hourMs : null;
}
