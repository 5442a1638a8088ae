import type Router from '@koa/router';
import type Koa from 'koa';
import { Problem } from '../../platform/http/problem.ts';
import { languageOf } from './locale/language.ts';
import { visitorLocale } from './locale/visitor-locale.ts';
import { noticeSecurityPolicy, pageSecurityPolicy } from './render/layout.ts';
import { renderNotice } from './render/notice.ts';
import { toneIcon } from './render/state-icon.ts';
import { PageHeaders } from './serve/page-headers.ts';
import type { PublishedPages } from './serve/published-pages.ts';
import { servePublished } from './serve/serve.ts';

const pathLengthMax = 300;

/**
 * Paths that `servePublished` does not know: new pages, trailing slashes, unknown ones. Added after all other routes.
 */
export function publicPageRoutes(pages: PublishedPages, baseUrl: string): (router: Router) => void {
  // The headers of every answer are set before.
  const serving = { headers: new PageHeaders(), homeOf: pages.hosts.homes(baseUrl) };
  return router => {
    // Browsers ask for it where a document names no icon, such as JSON and the page for a wrong address.
    router.get('/favicon.ico', context => {
      context.set('Cache-Control', 'public, max-age=86400');
      context.set('Content-Security-Policy', pageSecurityPolicy);
      context.type = 'image/svg+xml';
      context.body = toneIcon('note');
    });
    router.get('/status/{*path}', async context => {
      const path = context.path.slice('/status/'.length);
      if (path.length > pathLengthMax) return sendNotFound(context);
      if (path.endsWith('/')) {
        context.status = 308;
        context.set('Location', `/status/${withoutEndSlashes(path)}`);
        return;
      }
      const isKnown = /^[\x21-\x7e]{1,200}$/.test(path) && (await pages.lookUp(path));
      if (!isKnown || !servePublished(pages, serving, context.req, context.res)) return sendNotFound(context);
      context.respond = false;
    });
  };
}

/** By a loop: a regular expression would look at each run of slashes once per slash. */
function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function sendNotFound(context: Koa.Context): void {
  if (context.accepts('json', 'html') !== 'html') throw new Problem('not_found');
  context.status = 404;
  context.set('Content-Security-Policy', noticeSecurityPolicy);
  context.set('Cache-Control', 'no-store');
  context.type = 'text/html; charset=utf-8';
  context.set('Vary', 'Accept-Language');
  const locale = visitorLocale(context.get('accept-language'));
  context.body = renderNotice(null, { ...languageOf(locale).words.notice.notFound, form: null }, locale);
}
