import { createHash } from 'node:crypto';
import type Router from '@koa/router';
import { lazily } from '../../platform/http/asset.ts';
import { version } from '../../platform/http/version.ts';
import { packCommandLine } from './tarball.ts';

/** Serves the command line as a package for `npm install --global URL`, made when it is first asked for. */
export function addCommandLineRoute(router: Router): void {
  const packed = lazily(async () => {
    const bytes = await packCommandLine(version);
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"` };
  });
  router.get('/cli/upquorum.tgz', async context => {
    const { bytes, etag } = await packed();
    context.set({ ETag: etag, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' });
    context.set('Content-Disposition', `attachment; filename="upquorum-${version}.tgz"`);
    context.type = 'application/gzip';
    context.status = 200;
    if (context.fresh) context.status = 304;
    else context.body = bytes;
  });
}
