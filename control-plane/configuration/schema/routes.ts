import type Router from '@koa/router';
import { lazily, makeAsset, sendAsset } from '../../platform/http/asset.ts';
import type { Endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { configSchema } from './document-schema.ts';

const path = '/v0/config/schema.json';

/** The address of the JSON Schema of documents, which needs no token. */
export function schemaUrl(baseUrl: string): string {
  return `${baseUrl}${path}`;
}

export function addSchemaRoute(router: Router, endpoints: readonly Endpoint[], baseUrl: string): void {
  const asset = lazily(() => {
    return makeAsset('application/schema+json', JSON.stringify(configSchema(endpoints, schemaUrl(baseUrl))));
  });
  router.get(path, async context => {
    context.set({
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    sendAsset(context, await asset());
  });
}
