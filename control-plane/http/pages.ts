import { timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import type Koa from 'koa';
import type { Endpoint } from './endpoint.ts';
import type { Metrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { Problem, type ProblemCode, problems } from './problem.ts';

export type PageServices = {
  baseUrl: string;
  version: string;
  metrics: Metrics;
  metricsToken: string | null;
  /** What /readyz answers; `ready` decides between 200 and 503. */
  readiness(): Promise<{ ready: boolean; checks: Record<string, unknown> }>;
};

/** What is served without a token: health, metrics, the OpenAPI document and a page for each problem. */
export function addPages(router: Router, endpoints: readonly Endpoint[], services: PageServices): void {
  const document = JSON.stringify(openApiDocument(endpoints, services));
  router.get('/healthz', context => sendJson(context, 200, { status: 'ok' }));
  router.get('/readyz', async context => {
    const { ready, checks } = await services.readiness();
    if (!ready) throw new Problem('unavailable', { retryAfter: 1, extra: { ready, ...checks } });
    sendJson(context, 200, { ready, ...checks });
  });
  router.get('/metrics', async context => {
    requireMetricsAccess(context, services.metricsToken);
    context.set('Content-Type', services.metrics.registry.contentType);
    context.body = await services.metrics.registry.metrics();
  });
  router.get('/v0/openapi.json', context => {
    context.type = 'application/json';
    context.body = document;
  });
  router.get('/problems/:code', context => {
    const code = context.params.code as ProblemCode;
    if (!Object.hasOwn(problems, code)) throw new Problem('not_found');
    context.type = 'text/html; charset=utf-8';
    context.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    context.body = problemPage(code);
  });
}

function sendJson(context: Koa.Context, status: number, body: unknown): void {
  context.status = status;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}

function requireMetricsAccess(context: Koa.Context, token: string | null): void {
  const address = context.req.socket.remoteAddress ?? '';
  const given = Buffer.from(context.get('authorization').replace(/^Bearer /i, ''));
  const wanted = Buffer.from(token ?? '');
  if (wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  if (['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(address) && !context.get('x-forwarded-for')) return;
  throw new Problem(given.length === 0 ? 'missing_token' : 'invalid_token');
}

function problemPage(code: ProblemCode): string {
  const [status, title, explanation] = problems[code];
  const text = explanation
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${code}</title>
<style>:root{color-scheme:light dark}body{font:1.05rem/1.6 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}code{font-size:.95em}</style>
<p><code>${status} ${code}</code></p><h1>${title}</h1><p>${text}</p></html>`;
}
