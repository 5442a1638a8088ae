import { type MonitorKind, monitorKinds } from '#shared/checks/vocabulary.ts';
import type { Variant } from '../../../platform/openapi/variants.ts';
import type { Kind } from './kind.ts';
import { kindOf } from './kinds.ts';

/** The fields that not all kinds take, and whether one does. */
const takers: Readonly<Record<string, (kind: Kind<unknown>) => boolean>> = {
  url: ({ urlOf, withoutAgents }) => urlOf === undefined && withoutAgents?.takesUrl !== false,
  interval_seconds: ({ withoutAgents }) => typeof withoutAgents?.intervalSeconds !== 'number',
  regions: ({ withoutAgents }) => withoutAgents === null,
  quorum: ({ withoutAgents }) => withoutAgents === null,
  timeout_ms: ({ withoutAgents }) => withoutAgents === null,
  method: ({ kind }) => kind === 'http',
  body: ({ kind }) => kind === 'http',
  follow_redirects: ({ kind }) => kind === 'http',
  headers: ({ kind }) => kind === 'http' || kind === 'websocket',
  auth: ({ takesAuth }) => takesAuth,
  egress: ({ egress }) => egress !== 'none',
  http_version: ({ takesHttpVersion }) => takesHttpVersion,
};

const names: Readonly<Record<MonitorKind, string>> = {
  http: 'Http',
  tcp: 'Tcp',
  tls: 'Tls',
  dns: 'Dns',
  ping: 'Ping',
  grpc: 'Grpc',
  websocket: 'Websocket',
  multistep: 'Multistep',
  heartbeat: 'Heartbeat',
  domain: 'Domain',
  events: 'Events',
};

const meanings: Readonly<Record<MonitorKind, string>> = {
  http: 'Requests a URL.',
  tcp: 'Connects to a port.',
  tls: 'Verifies the certificate of a server.',
  dns: 'Asks a name server for records.',
  ping: 'Waits for replies of a host.',
  grpc: 'Asks the health service of a gRPC server.',
  websocket: 'Opens a WebSocket.',
  multistep: 'Makes several requests in order.',
  heartbeat: 'Waits for signals of a job.',
  domain: 'Asks the registry of a domain name.',
  events: 'Counts stored events.',
};

const urlMeaning =
  'URL of the kind’s scheme, without credentials. Of http, https, ws and wss, blanks and similar characters in path ' +
  'and query are percent-encoded.';

const otherOwn = (kind: MonitorKind) => monitorKinds.filter(name => name !== kind && name !== 'http');

/** How a monitor of each kind is shown. */
export const shownVariants: readonly Variant[] = monitorKinds.map(kind => ({
  value: kind,
  title: `${names[kind]}Monitor`,
  description: meanings[kind],
  leftOut: otherOwn(kind),
  required: kind === 'http' ? [] : [kind],
  narrowed: {},
}));

/** What is sent of a monitor of each kind: with `verb` in the name. Jobs and domains cannot be tested. */
export function sentVariants(verb: 'Create' | 'Test'): readonly Variant[] {
  const isTested = (kind: MonitorKind) => kind === 'events' || kindOf(kind).withoutAgents === null;
  const sent = monitorKinds.filter(kind => verb === 'Create' || isTested(kind));
  return sent.map(kind => {
    const settings = kindOf(kind);
    const refused = Object.keys(takers).filter(field => takers[field]?.(settings) === false);
    const takesUrl = !refused.includes('url');
    const needed = ['url', 'regions', ...(settings.intervalOf || kind === 'heartbeat' ? [] : ['interval_seconds'])];
    const own = kind === 'events' ? [kind, 'assertions'] : kind === 'multistep' ? [kind] : [];
    return {
      value: kind,
      title: `${verb}${names[kind]}MonitorRequest`,
      description: takesUrl ? `${meanings[kind]} \`kind\` may be left out.` : meanings[kind],
      leftOut: [...otherOwn(kind), ...refused],
      required: [...needed, ...(takesUrl ? [] : ['kind']), ...own],
      narrowed: { url: { pattern: patternOf(settings.schemes), description: urlMeaning } },
    };
  });
}

/** Texts that begin with one of the schemes, as `kindOfUrl` reads them. */
function patternOf(schemes: readonly string[]): string {
  const anyCase = (text: string) => text.replaceAll(/[a-z]/g, letter => `[${letter.toUpperCase()}${letter}]`);
  return `^\\s*(?:${schemes.map(anyCase).join('|')})`;
}
