import type { default as Router, RouterContext } from '@koa/router';
import type Koa from 'koa';
import { lazily, sendAsset } from '../../platform/http/asset.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Assets, loadAssets } from './assets.ts';
import { dashboardPage, pageHeaders } from './page.ts';
import { frameHeaders, framePage } from './preview-frame.ts';

const assets = lazily(() => loadAssets(dashboardPage));

/** Identifies the dashboard's files. */
export async function dashboardVersion(): Promise<string> {
  return (await assets()).version;
}

/** Adds the operators' dashboard: its files, and its page at `/` and wherever else a view of it has an address. */
export function addDashboard(router: Router): void {
  router.get('/', async context => sendPage(context, await assets()));
  router.get('/p/:project', async context => sendPage(context, await assets()));
  router.get('/auth/page/:id', async context => sendPage(context, await assets()));
  router.get('/join', async context => sendPage(context, await assets()));
  router.get('/me/tokens', async context => sendPage(context, await assets()));
  router.get('/wall', async context => sendPage(context, await assets()));
  router.get('/dashboard/preview', sendFrame);
  router.get('/dashboard/assets/:version/:name', async context => sendFile(context, await assets()));
}

function sendPage(context: Koa.Context, assets: Assets): void {
  context.set(pageHeaders);
  context.set('Cache-Control', 'no-cache');
  sendAsset(context, assets.page);
}

/** The empty document in which the dashboard shows pages: what it holds comes by a message. */
function sendFrame(context: Koa.Context): void {
  context.set(frameHeaders);
  context.set('Cache-Control', 'no-cache');
  context.type = 'text/html; charset=utf-8';
  context.body = framePage;
}

/** Another version's address gets this version's file: in a rolling restart the page may come from another replica. */
function sendFile(context: RouterContext, assets: Assets): void {
  const { version, name } = context.params;
  const asset = assets.find(name ?? '');
  if (asset === null) throw new Problem('not_found');
  context.set(pageHeaders);
  context.set('Cache-Control', version === assets.version ? 'public, max-age=31536000, immutable' : 'no-cache');
  sendAsset(context, asset);
}
