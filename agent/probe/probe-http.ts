import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import { diagnosisRules } from '#shared/checks/diagnosis.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import type { AddressTurn } from './addresses/address-turn.ts';
import { inTurn } from './addresses/in-turn.ts';
import { addTiming, attemptWithin, type ProbeOutcome, type ProbeTools } from './attempt.ts';
import { signedIn, type TokenSource } from './auth/signed-in.ts';
import { hostAndPort } from './connect.ts';
import { Cookies } from './cookies.ts';
import type { Deadline } from './deadline.ts';
import { type Egress, egressOf } from './egress/egress.ts';
import type { ReadBody, TakeBytes } from './http/body-reader.ts';
import { BodySample } from './http/body-sample.ts';
import { connectHttp, targetOf } from './http/connect-http.ts';
import { diagnose, needsBody } from './http/diagnose.ts';
import { type ExchangeOptions, exchange, type HttpResponse, type Seen } from './http/exchange.ts';
import { headerText } from './http/header-text.ts';
import type { ResponseHeaders } from './http/response-headers.ts';
import { ProbeRefusal } from './probe-refusal.ts';
import type { Forwarder } from './proxy/proxy.ts';
import { followRedirect, type Hop, hopsMax } from './redirect.ts';
import { SeenCertificates } from './seen-certificates.ts';

/** Of a body that assertions read, as much as the diagnosis looks at. */
const bodyCharactersMax = 65_536;

/**
 * The request to send. `takeBytes`: where the memory of the body comes from; null if no assertion reads it.
 * `takeSample`: the same for the beginning of a body that is read only to see what answered. `cookies`: those of
 * requests before it, to which those of its answer are added.
 */
export type ProbeRequest = Pick<Assignment, 'url' | 'method' | 'headers' | 'body'> & {
  egress?: Assignment['egress'];
  /** How connections go out, in place of `egress`, if it is not for the host of this request alone. */
  goesOut?: Egress;
  http_version?: Assignment['http_version'];
  /** Values that go to no other origin, in whatever header. */
  secrets?: Assignment['secrets'];
  timeoutMs: number;
  followRedirects: boolean;
  takeBytes: TakeBytes | null;
  takeSample?: TakeBytes;
  cookies?: Cookies;
  /** Where the token comes from that it signs in with, if any. */
  tokens?: TokenSource | undefined;
  turn?: AddressTurn | null;
};

/**
 * Requests a target once, redirects included, over new connections and within one deadline. Every address is checked
 * against the policy first. Never throws because of anything a target does.
 */
export function probe(request: ProbeRequest, tools: ProbeTools): Promise<ProbeOutcome> {
  return attemptWithin(request.timeoutMs, tools, (deadline, outcome) =>
    signedIn(request.tokens, { deadline, outcome }, Authorization =>
      inTurn(request.turn ?? null, { deadline, outcome }, () =>
        followHops(
          Authorization === null ? request : { ...request, headers: { ...request.headers, Authorization } },
          tools,
          deadline,
          outcome,
        ),
      ),
    ),
  );
}

/** Returns when the last byte was received. */
async function followHops(
  request: ProbeRequest,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<number> {
  const {
    url,
    method,
    headers,
    body,
    followRedirects,
    http_version: httpVersion = '1.1',
    takeBytes,
    takeSample,
  } = request;
  const first = new URL(url);
  const egress = request.goesOut ?? egressOf(tools.trust, request.egress, targetOf(first), request.turn ?? null);
  const certificates = new SeenCertificates(first.host);
  const cookies = request.cookies ?? new Cookies();
  const urls: URL[] = [];
  const sampleOf: NonNullable<ExchangeOptions['sampleOf']> = head =>
    takeBytes === null && takeSample !== undefined && needsBody(toAnswer(head, urls))
      ? new BodySample(takeSample)
      : null;
  const shared = { followRedirects, takeBytes, sampleOf, eventMs: () => tools.standStill.eventMs() };
  let hop: Hop = { url: first, method, headers, body };
  for (let hops = 0; ; hops++) {
    urls.push(hop.url);
    const connection = await connectHttp(hop.url, httpVersion, egress, tools, deadline, outcome).catch(error => {
      certificates.noteRefused(hop.url.host, outcome);
      throw error;
    });
    certificates.note(hop.url.host, connection.tls, outcome);
    const { socket, forwardedBy } = connection;
    const options = { hop, cookies: cookies.headerFor(hop.url), socket, forwardedBy, ...shared };
    const seen: Seen = { statusCode: null, firstByteMs: null, bytes: 0, warnings: [] };
    const send = connection.isHttp2 ? (await import('./http/exchange-by-http2.ts')).exchangeByHttp2 : exchange;
    const response = await send(options, deadline, seen)
      .finally(() => noteSeen(seen, outcome))
      .catch(error => {
        if (forwardedBy !== undefined && error instanceof ProbeRefusal) noteProxy(forwardedBy, outcome);
        throw error;
      });
    if (response.body !== null) {
      outcome.refusesToken = response.statusCode === 401 && hop.headers.Authorization !== undefined;
      certificates.finish(outcome);
      if (request.cookies !== undefined) takeCookies(cookies, hop.url, response.headers, tools);
      noteResponse(response, outcome);
      noteDiagnosis(response, urls, outcome);
      return response.endedMs;
    }
    if (hops === hopsMax) throw new ProbeRefusal('too_many_redirects', `more than ${hopsMax} redirects`);
    takeCookies(cookies, hop.url, response.headers, tools);
    const next = followRedirect(hop, response.statusCode, response.headers.get('location') ?? '', request.secrets);
    if (typeof next === 'string') throw new ProbeRefusal('protocol_error', next);
    hop = next;
  }
}

function takeCookies(cookies: Cookies, url: URL, headers: ResponseHeaders, { clock }: ProbeTools): void {
  cookies.take(url, headers.all('set-cookie'), clock.now());
}

/** A proxy that forwards requests has refused to. */
function noteProxy({ proxy: { host, port }, remoteIp }: Forwarder, outcome: ProbeOutcome): void {
  outcome.host = hostAndPort(host, port);
  outcome.remoteIp = remoteIp;
  outcome.phase = 'proxy';
}

function noteSeen(seen: Seen, outcome: ProbeOutcome): void {
  outcome.statusCode = seen.statusCode ?? outcome.statusCode;
  outcome.bytes = seen.bytes;
  if (seen.version !== undefined) outcome.facts = { http_version: seen.version };
  if (seen.warnings.length > 0) outcome.warnings = [...new Set([...outcome.warnings, ...seen.warnings])];
  if (seen.firstByteMs === null) return;
  outcome.phase = 'answer';
  addTiming(outcome.timings, 'first_byte_ms', seen.firstByteMs);
}

function noteResponse({ headers, statusCode, downloadMs, body }: HttpResponse, outcome: ProbeOutcome): void {
  addTiming(outcome.timings, 'download_ms', downloadMs ?? 0);
  outcome.bytes = body?.bytes ?? 0;
  outcome.truncated = body?.truncated ?? false;
  outcome.response = toProbedResponse(headers, statusCode, body, outcome.facts);
}

/** Nothing of it has a part in what the check comes to. */
function noteDiagnosis(response: HttpResponse, urls: readonly URL[], outcome: ProbeOutcome): void {
  const head = toAnswer(response, urls);
  const body = needsBody(head) ? (response.sample?.text(response.headers) ?? response.body?.text ?? '') : '';
  const diagnosis = diagnose({ ...head, body: body.slice(0, bodyCharactersMax) });
  if (diagnosis !== null) outcome.facts = { ...outcome.facts, diagnosis: { ...diagnosis, rules: diagnosisRules } };
}

function toAnswer({ statusCode, headers }: Pick<HttpResponse, 'statusCode' | 'headers'>, urls: readonly URL[]) {
  return { statusCode, urls, header: (name: string) => headers.get(name) };
}

function toProbedResponse(
  received: ResponseHeaders,
  statusCode: number,
  body: ReadBody | null,
  facts: ProbeOutcome['facts'],
): ProbedResponse {
  let headers: ReadonlyMap<string, readonly string[]> | null = null;
  return {
    statusCode,
    bodyText: body?.text ?? '',
    truncated: body?.truncated ?? false,
    facts,
    // Most checks read no header, so the map is built only on first use.
    get headers() {
      headers ??= new Map([...received.byName()].map(([name, values]) => [name, values.map(headerText)]));
      return headers;
    },
  };
}
