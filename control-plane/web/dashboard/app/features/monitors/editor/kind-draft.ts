import type { Monitor, MonitorPost } from '../../../session/api-types.ts';
import { draftOfEvents, type EventsDraft, emptyEvents, eventsBody } from './events/events-draft.ts';
import { draftOfStep, emptyStep, type StepDraft, stepBody } from './step-draft.ts';

export type Kind = Monitor['kind'];

/** What only kinds other than HTTP have, while it is edited: texts as they stand in the fields. */
export type KindDraft = EventsDraft & {
  kind: Kind;
  /** `host:port`; of a ping the host alone. */
  address: string;
  send: string;
  read: boolean;
  starttls: string;
  count: string;
  /** Of a DNS query: the name, the type of record, and the server, which may be empty. */
  dnsName: string;
  dnsType: string;
  dnsServer: string;
  transport: string;
  recursion: boolean;
  agreeWith: string;
  /** Of a WebSocket handshake, separated by blanks or commas. */
  subprotocols: string;
  /** Of gRPC. */
  service: string;
  metadata: readonly (readonly [name: string, value: string])[];
  /** Of a heartbeat: five fields, or empty if a success is expected each interval. */
  cron: string;
  timezone: string;
  grace: string;
  maxRun: string;
  slug: string;
  aliases: string;
  postOnly: boolean;
  keepOutput: boolean;
  steps: readonly StepDraft[];
};

export const emptyKindDraft: KindDraft = {
  ...emptyEvents,
  kind: 'http',
  address: '',
  send: '',
  read: false,
  starttls: '',
  count: '3',
  dnsName: '',
  dnsType: 'A',
  dnsServer: '',
  transport: 'udp',
  recursion: true,
  agreeWith: '',
  subprotocols: '',
  service: '',
  metadata: [],
  cron: '',
  timezone: 'UTC',
  grace: '',
  maxRun: '',
  slug: '',
  aliases: '',
  postOnly: false,
  keepOutput: true,
  steps: [emptyStep],
};

export function draftOfKind(monitor: Monitor): KindDraft {
  const { kind, url, tcp, tls, dns, ping, grpc, websocket, heartbeat, multistep } = monitor;
  const [, dnsServer = '', dnsName = '', dnsType = 'A'] = /^dns:\/\/([^/]*)\/([^?]*)(?:\?type=(.*))?$/i.exec(url) ?? [];
  return {
    ...emptyKindDraft,
    kind,
    address: addressOf(kind, url),
    send: tcp?.send ?? websocket?.send ?? '',
    read: tcp?.read ?? websocket?.read ?? false,
    starttls: tls?.starttls ?? '',
    count: String(ping?.count ?? emptyKindDraft.count),
    ...(kind === 'dns' ? { dnsServer, dnsName, dnsType: dnsType.toUpperCase() } : {}),
    transport: dns?.transport ?? emptyKindDraft.transport,
    recursion: dns?.recursion ?? true,
    agreeWith: (dns?.agree_with ?? []).join(', '),
    service: grpc?.service ?? '',
    metadata: Object.entries(grpc?.metadata ?? {}),
    subprotocols: (websocket?.subprotocols ?? []).join(', '),
    ...(heartbeat === undefined
      ? {}
      : {
          cron: heartbeat.cron ?? '',
          timezone: heartbeat.timezone,
          grace: String(heartbeat.grace_seconds),
          maxRun: heartbeat.max_run_seconds === null ? '' : String(heartbeat.max_run_seconds),
          slug: heartbeat.slug ?? '',
          aliases: heartbeat.aliases.join(', '),
          postOnly: heartbeat.post_only,
          keepOutput: heartbeat.keep_output,
        }),
    ...(monitor.events === undefined ? {} : draftOfEvents(monitor.events, monitor.interval_seconds)),
    steps: multistep === undefined ? emptyKindDraft.steps : multistep.steps.map(draftOfStep),
  };
}

/** Whether checks of the kind see certificates. */
export function hasCertificate(kind: Kind): boolean {
  return kind === 'http' || kind === 'tls' || kind === 'multistep' || hasScheme(kind);
}

/** Whether its URLs have one of two schemes, with TLS and without: then the field shows it. */
function hasScheme(kind: Kind): boolean {
  return kind === 'grpc' || kind === 'websocket';
}

/** The part of a body that a kind other than HTTP makes. What does not parse goes as it is written. */
export function kindBody(draft: KindDraft): Record<string, unknown> {
  const { kind, address } = draft;
  switch (kind) {
    case 'tcp':
      return {
        kind,
        url: urlOf('tcp', address),
        tcp: { send: draft.send === '' ? null : draft.send, read: draft.read },
      };
    case 'tls':
      return { kind, url: urlOf('tls', address), tls: { starttls: draft.starttls === '' ? null : draft.starttls } };
    case 'ping':
      return { kind, url: urlOf('ping', address), ping: { count: Number(draft.count) || draft.count } };
    case 'dns':
      return {
        kind,
        url: dnsUrl(draft),
        dns: { transport: draft.transport, recursion: draft.recursion, agree_with: listOf(draft.agreeWith) },
      };
    case 'grpc': {
      const metadata = Object.fromEntries(draft.metadata.filter(([name]) => name.trim() !== ''));
      return { kind, url: schemedUrl('grpcs', address), grpc: { service: draft.service.trim(), metadata } };
    }
    case 'websocket':
      return {
        kind,
        url: schemedUrl('wss', address),
        websocket: {
          subprotocols: listOf(draft.subprotocols),
          send: draft.send === '' ? null : draft.send,
          read: draft.read,
        },
      };
    case 'heartbeat':
      return { kind, heartbeat: heartbeatBody(draft) };
    case 'domain':
      return { kind, url: urlOf('domain', address) };
    case 'events':
      return { kind, ...eventsBody(draft) };
    case 'multistep':
      return { kind, multistep: { steps: draft.steps.map(stepBody) } };
    default:
      return { kind };
  }
}

function addressOf(kind: Kind, url: string): string {
  if (kind === 'http' || kind === 'heartbeat' || kind === 'events') return '';
  return hasScheme(kind) ? url : url.replace(/^[a-z]+:\/\//i, '');
}

/** Whether checks of the kind send headers of the monitor. */
function hasHeaders(kind: Kind): boolean {
  return kind === 'http' || kind === 'websocket';
}

function heartbeatBody(draft: KindDraft): Record<string, unknown> {
  const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim());
  const numberOrNull = (text: string) => (text.trim() === '' ? null : Number(text) || text);
  return {
    cron: textOrNull(draft.cron),
    timezone: draft.timezone.trim(),
    grace_seconds: numberOrNull(draft.grace),
    max_run_seconds: numberOrNull(draft.maxRun),
    post_only: draft.postOnly,
    keep_output: draft.keepOutput,
    slug: textOrNull(draft.slug),
    aliases: listOf(draft.aliases),
  };
}

/** Whether agents check monitors of the kind. */
export function isOfAgents(kind: Kind): boolean {
  return kind !== 'heartbeat' && kind !== 'domain' && kind !== 'events';
}

/** What a kind takes that no agent checks. */
export function withoutAgents(settings: Partial<MonitorPost>, { kind, cron }: KindDraft): Partial<MonitorPost> {
  const { timeout_ms: _timeout, regions: _regions, quorum: _quorum, assertions = [], ...others } = settings;
  const { interval_seconds: _interval, ...own } = others;
  if (kind === 'domain') return own;
  // Those of another kind may be left in the form.
  const fitting = assertions.filter(({ type }) => type === (kind === 'events' ? 'measured' : 'run_seconds'));
  if (kind === 'events') return { ...own, assertions: fitting };
  return { ...(cron.trim() === '' ? others : own), assertions: fitting };
}

/** What only HTTP has is left out of the body for another kind. */
export function withoutHttp(kind: Kind, settings: MonitorPost): Partial<MonitorPost> {
  const { method: _method, headers, body: _body, follow_redirects: _follow, url: _url, ...others } = settings;
  return hasHeaders(kind) && headers !== undefined ? { ...others, headers } : others;
}

/** A whole URL may be pasted: the fault that the field shows has that form. */
function urlOf(kind: 'tcp' | 'tls' | 'ping' | 'dns' | 'domain', text: string): string {
  const trimmed = text.trim();
  return trimmed.toLowerCase().startsWith(`${kind}://`) ? trimmed : `${kind}://${trimmed}`;
}

/** As it is written if it has a scheme. */
function schemedUrl(scheme: string, text: string): string {
  const trimmed = text.trim();
  return /^[a-z]+:/i.test(trimmed) && trimmed.includes('//') ? trimmed : `${scheme}://${trimmed}`;
}

function dnsUrl({ dnsServer, dnsName, dnsType }: KindDraft): string {
  if (/^dns:/i.test(dnsName.trim())) return urlOf('dns', dnsName);
  return urlOf('dns', `${dnsServer.trim()}/${dnsName.trim()}?type=${dnsType.trim()}`);
}

/** Which of the fields that make the URL of a DNS query is at fault if the API refuses it: a good name is not. */
export function dnsFieldAtFault({ dnsName, dnsServer }: Pick<KindDraft, 'dnsName' | 'dnsServer'>): keyof KindDraft {
  const name = dnsName.trim();
  const labels = name.replace(/\.$/, '').split('.');
  const isName = name === '.' || labels.every(label => /^[a-z0-9_*\P{ASCII}-]{1,63}$/iu.test(label));
  return isName && name.length <= 253 && dnsServer.trim() !== '' ? 'dnsServer' : 'dnsName';
}

function listOf(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map(part => part.trim())
    .filter(Boolean);
}
