import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem, type ProblemDetails, problemBody } from '../../../platform/http/problem.ts';
import type { ProblemCode } from '../../../platform/http/problem-codes.ts';
import { visitorLocale } from '../locale/visitor-locale.ts';
import { noticeSecurityPolicy } from '../render/layout.ts';
import { type Refusal, renderRefusal } from '../render/refusal.ts';
import { requestIdOf } from '../serve/serve.ts';
import { refusalHeaders } from './private-headers.ts';
import { wantsJson } from './request-parts.ts';

export type Doorkeeping = { baseUrl: string; defaults: Readonly<Record<string, string>> };
/** `retryAfter` in seconds. */
export type Refused = { status: 403 | 429 | 503; refusal: Refusal; retryAfter?: number };

const codes = { 403: 'access_required', 429: 'rate_limited', 503: 'unavailable' } as const satisfies Record<
  Refused['status'],
  ProblemCode
>;

/** Answers somebody who is not let in: a page in their language, or JSON for who asks for it. */
export function refuse(
  doorkeeping: Doorkeeping,
  { status, refusal, retryAfter }: Refused,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const details: ProblemDetails = retryAfter === undefined ? {} : { retryAfter };
  if (wantsJson(request.headers))
    return sendProblem(doorkeeping, new Problem(codes[status], details), request, response);
  const body = Buffer.from(renderRefusal(refusal, visitorLocale(request.headers['accept-language'] ?? '')));
  send(doorkeeping, { status, type: 'text/html; charset=utf-8', body, retryAfter }, request, response);
}

export function sendProblem(
  doorkeeping: Doorkeeping,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const problem = error instanceof Problem ? error : new Problem('internal_error');
  const path = (request.url ?? '').split('?')[0] ?? '';
  const content = problemBody(problem, { baseUrl: doorkeeping.baseUrl, path, requestId: requestIdOf(request) });
  const body = Buffer.from(JSON.stringify(content));
  const { retryAfter } = problem.details;
  send(doorkeeping, { status: problem.status, type: 'application/problem+json', body, retryAfter }, request, response);
}

function send(
  { defaults }: Doorkeeping,
  { status, type, body, retryAfter }: { status: number; type: string; body: Buffer; retryAfter?: number | undefined },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...defaults,
    ...refusalHeaders,
    'Content-Type': type,
    'Content-Length': body.length,
    'X-Request-Id': requestIdOf(request),
    ...(type.startsWith('text/html') ? { 'Content-Security-Policy': noticeSecurityPolicy } : {}),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
