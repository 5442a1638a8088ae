import type Router from '@koa/router';
import type Koa from 'koa';
import { Problem } from '../http/problem.ts';
import type { PublishedPages } from './published-pages.ts';
import { pageSecurityPolicy } from './render/layout.ts';
import { renderNotice } from './render/notice.ts';
import { sendDocument } from './serve.ts';

/** What `servePublished` did not hold: a page made a moment ago, a slash too many, or nothing. Comes after all other /status routes. */
export function publicPageRoutes(pages: PublishedPages): (router: Router) => void {
  return router => {
    router.get('/status/{*path}', async context => {
      const path = context.path.slice('/status/'.length);
      if (path.endsWith('/')) {
        context.status = 308;
        context.set('Location', `/status/${path.replace(/\/+$/, '')}`);
        return;
      }
      const document = /^[\x21-\x7e]{1,200}$/.test(path) ? await pages.lookUp(path) : undefined;
      if (document === undefined) return sendNotFound(context);
      context.respond = false;
      sendDocument(document, context.req, context.res);
    });
  };
}

function sendNotFound(context: Koa.Context): void {
  if (context.accepts('json', 'html') !== 'html') throw new Problem('not_found');
  context.status = 404;
  context.set('Content-Security-Policy', pageSecurityPolicy);
  context.set('Cache-Control', 'no-store');
  context.type = 'text/html; charset=utf-8';
  context.body = renderNotice(null, {
    title: 'There is no such page',
    text: 'The address may be misspelt, or what it named was removed.',
    form: null,
  });
}
