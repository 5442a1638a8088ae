import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { formOf } from '#control-plane/on-call/channels/types/form.ts';
import { channelTypeNames, channelTypes } from '#control-plane/on-call/channels/types/registry.ts';
import { openApiDocument } from '#control-plane/platform/openapi/document.ts';
import { type ServedServices, serveWings } from '#control-plane/roles/wings.ts';

// `npm run api-types`: writes what the API's client knows of the server: the types of the API, from the OpenAPI
// document, and the forms of channels, from the schemas of their types.

const folder = new URL('../../control-plane/web/api-client/', import.meta.url);
const typesPath = fileURLToPath(new URL('openapi.d.ts', folder));
const formsPath = fileURLToPath(new URL('channel-forms.ts', folder));

/** The names of all services, for what copies them. */
const names = {
  asksRegistries: true,
  baseUrl: true,
  bulkheads: true,
  callerKey: true,
  canMail: true,
  changes: true,
  clients: true,
  clock: true,
  config: true,
  dnsServers: true,
  eventWriter: true,
  forms: true,
  gatekeeper: true,
  hooks: true,
  keyring: true,
  log: true,
  metrics: true,
  outlivesDatabase: true,
  pages: true,
  pools: true,
  previewer: true,
  rateLimit: true,
  reachable: true,
  recordChange: true,
  series: true,
  sessionMs: true,
  signIn: true,
  signals: true,
  tallies: true,
  waiters: true,
} satisfies Record<keyof ServedServices, true>;

/** The document as this source makes it. Services only matter to requests, and none are made here. */
export async function currentDocument(): Promise<object> {
  const services: object = new Proxy(() => services, {
    get: () => services,
    apply: () => services,
    // Wings get copies with more beside them.
    ownKeys: () => Object.keys(names),
    getOwnPropertyDescriptor: () => ({ value: services, enumerable: true, configurable: true }),
  });
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

/** The module with the form of each type of channel. */
function formsModule(): string {
  const forms = Object.fromEntries(channelTypeNames.map(type => [type, formOf(channelTypes[type])]));
  return [
    '// Made by npm run api-types from the types of channels. Do not edit.',
    "import type { ChannelForm } from '../../on-call/channels/types/form.ts';",
    "import type { ChannelType } from '../../on-call/channels/types/registry.ts';",
    `\nexport const channelForms: Readonly<Record<ChannelType, ChannelForm>> = ${JSON.stringify(forms, null, 2)};\n`,
  ].join('\n');
}

/** Whether the forms are those of the types of channels. */
export function areFormsCurrent(): boolean {
  return readFileSync(formsPath, 'utf8') === formsModule();
}

if (import.meta.main) {
  writeFileSync(formsPath, formsModule());
  const document = await currentDocument();
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
