import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '#control-plane/platform/openapi/document.ts';
import { type ServedServices, serveWings } from '#control-plane/roles/wings.ts';

// `npm run api-types`: writes the types of the API for its client, from the OpenAPI document.

const typesPath = fileURLToPath(new URL('../../control-plane/web/api-client/openapi.d.ts', import.meta.url));

/** The document as this source makes it. Services only matter to requests, and none are made here. */
export function currentDocument(): object {
  const services: object = new Proxy(() => services, { get: () => services, apply: () => services });
  const { endpoints } = serveWings(services as ServedServices);
  return openApiDocument(endpoints, { baseUrl: 'http://localhost:8080', version: '0' });
}

/** The first line of the types of a document. */
function headingOf(document: object): string {
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  return `// Made by npm run api-types from the OpenAPI document ${hash.slice(0, 32)}. Do not edit.`;
}

/** Whether the types are those of the document. */
export function areCurrent(document: object): boolean {
  return readFileSync(typesPath, 'utf8').startsWith(`${headingOf(document)}\n`);
}

if (import.meta.main) {
  const document = currentDocument();
  // The tool takes another TypeScript than the rest, so it is installed on its own.
  const tool = createRequire(new URL('tool/package.json', import.meta.url));
  const { default: openapiTS, astToString } = tool('openapi-typescript') as Tool;
  const types = astToString(await openapiTS(JSON.stringify(document), { defaultNonNullable: false }));
  writeFileSync(typesPath, `${headingOf(document)}\n\n${types}`);
}

type Tool = {
  default(document: string, options: { defaultNonNullable: boolean }): Promise<unknown>;
  astToString(tree: unknown): string;
};
