import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type Router from '@koa/router';
import { lazily, makeAsset, sendAsset } from '../http/asset.ts';
import type { Endpoint } from '../http/endpoint/endpoint.ts';
import { openApiDocument } from './document.ts';
import { referenceHeaders, referencePage, startScript, viewerPath } from './reference-page.ts';
import { viewerDocument } from './viewer-document.ts';

const { resolve } = createRequire(import.meta.url);
const types = {
  json: 'application/json',
  html: 'text/html; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Adds the OpenAPI document, and the API reference that a viewer makes of it. */
export function addReference(
  router: Router,
  endpoints: readonly Endpoint[],
  options: { baseUrl: string; version: string },
): void {
  // Made when first asked for: it would take most of a replica's start.
  const document = lazily(async () => makeAsset(types.json, JSON.stringify(await openApiDocument(endpoints, options))));
  const viewerFile = async (name: string) => readFile(resolve(`swagger-ui-dist/${name}`));
  const assets = {
    '/v0/openapi.json': document,
    [viewerPath]: async () => {
      const { plain } = await document();
      return makeAsset(types.json, JSON.stringify(viewerDocument(JSON.parse(plain.toString()))));
    },
    '/docs': () => makeAsset(types.html, referencePage()),
    '/docs/start.js': () => makeAsset(types.script, startScript),
    '/docs/swagger-ui.js': async () => makeAsset(types.script, await viewerFile('swagger-ui-bundle.js')),
    '/docs/swagger-ui.css': async () => makeAsset(types.css, await viewerFile('swagger-ui.css')),
  };
  for (const [path, make] of Object.entries(assets)) {
    const asset = lazily(make);
    router.get(path, async context => {
      context.set(referenceHeaders);
      context.set('Cache-Control', 'no-cache');
      sendAsset(context, await asset());
    });
  }
}
