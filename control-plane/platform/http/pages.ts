import { timingSafeEqual } from 'node:crypto';
import type Router from '@koa/router';
import type { Context } from 'koa';
import { html, trusted } from '../markup/html.ts';
import type { Metrics } from './metrics.ts';
import { Problem } from './problem.ts';
import { type ProblemCode, problems } from './problem-codes.ts';

export type PageServices = {
  metrics: Metrics;
  metricsToken: string | null;
  /** What /readyz reports; `ready` decides between 200 and 503. */
  readiness(): Promise<{ ready: boolean; checks: Record<string, unknown> }>;
};

/** Adds what every process serves without a token: health, metrics and a page for each problem code. */
export function addPages(router: Router, services: PageServices): void {
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
  router.get('/problems/:code', context => {
    const code = context.params.code as ProblemCode;
    if (!Object.hasOwn(problems, code)) throw new Problem('not_found');
    context.type = 'text/html; charset=utf-8';
    context.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
    context.body = problemPage(code);
  });
}

function sendJson(context: Context, status: number, body: unknown): void {
  context.status = status;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Metrics are for the metrics token, and for this machine: both ends are loopback and the name too, so that neither a
 * proxy nor a page whose name was made to point here reads them.
 */
function requireMetricsAccess(context: Context, token: string | null): void {
  const given = Buffer.from(context.get('authorization').replace(/^Bearer /i, ''));
  const expected = Buffer.from(token ?? '');
  if (expected.length > 0 && given.length === expected.length && timingSafeEqual(given, expected)) return;
  const isDirect = forwardingHeaders.every(name => context.get(name) === '');
  const isLocalName = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(context.get('host'));
  const address = context.req.socket.remoteAddress ?? '';
  if (isDirect && isLocalName && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(address)) return;
  throw new Problem(given.length === 0 ? 'missing_token' : 'invalid_token');
}

const style = trusted(`<style>
:root { color-scheme: light dark }
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
code { font-size: .95em }
</style>`);

function problemPage(code: ProblemCode): string {
  const [status, title, explanation] = problems[code];
  // Text between backquotes is code.
  const text = explanation.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code}</title>
${style}
<p><code>${status} ${code}</code></p>
<h1>${title}</h1>
<p>${text}</p>
</html>`.toString();
}
