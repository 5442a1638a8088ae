import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { discord, googleChat, ntfy, opsgenie, pagerduty, slack, teams, telegram } from './channel-bodies.ts';
import type { CalledType } from './channel-configs.ts';
import { readBody, type Service } from './services/service.ts';
import { ofStubs } from './services/stubs.ts';

export type Received = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
const json = { 'content-type': /^application\/json(; charset=utf-8)?$/ };

/** Stubs of the services, as they say of themselves that they work. */
export const services: Readonly<Record<CalledType, Service>> = {
  slack: {
    method: 'POST',
    path: /^\/slack\/secret-slack$/,
    takes: slack,
    answer: [200, 'ok'],
  },
  webhook: {
    method: 'POST',
    path: /^\/webhook\/secret-webhook$/,
    takes: z.strictObject({
      type: z.string().regex(/^alert\.\w+$/),
      timestamp: z.iso.datetime(),
      data: z.strictObject({
        alert: z.looseObject({ id: z.string(), state: z.string() }).nullable(),
        group: z.looseObject({ id: z.string(), alert_ids: z.array(z.string()) }).nullable(),
        title: z.string(),
        lines: z.array(z.string()),
      }),
    }),
    headers: { 'webhook-id': /./, 'webhook-timestamp': /^\d{10}$/, 'webhook-signature': /^v1,[\w+/]{43}=$/ },
    answer: [204, ''],
  },
  pagerduty: {
    method: 'POST',
    path: /^\/v2\/enqueue$/,
    takes: pagerduty,
    answer: [202, '{"status":"success","message":"Event processed","dedup_key":"agp_1"}'],
  },
  opsgenie: {
    method: 'POST',
    path: /^\/v2\/alerts(\/[\w%-]+\/(notes|acknowledge|close)\?identifierType=alias)?$/,
    takes: opsgenie,
    headers: { authorization: /^GenieKey secret-opsgenie$/ },
    answer: [202, '{"result":"Request will be processed","took":0.1,"requestId":"1"}'],
  },
  teams: { method: 'POST', path: /^\/teams\/secret-teams$/, takes: teams, answer: [202, ''] },
  discord: {
    method: 'POST',
    path: /^\/discord\/secret-discord\?thread_id=123456789$/,
    takes: discord,
    answer: [204, ''],
  },
  telegram: {
    method: 'POST',
    path: /^\/bot123456:secret-telegram-a+\/sendMessage$/,
    takes: telegram,
    answer: [200, '{"ok":true,"result":{"message_id":5}}'],
  },
  ntfy: {
    method: 'POST',
    path: /^\/ntfy$/,
    takes: ntfy,
    headers: { authorization: /^Bearer secret-ntfy-token$/ },
    answer: [200, '{"id":"1","event":"message"}'],
  },
  google_chat: {
    method: 'POST',
    path: /^\/chat\/v1\/spaces\/a\/messages\?key=[\w-]+&token=[\w-]+&messageReplyOption=REPLY_MESSAGE_[A-Z_]+$/,
    takes: googleChat,
    answer: [200, '{"name":"spaces/a/messages/b"}'],
  },
  apprise: {
    method: 'POST',
    path: /^\/notify\/secret-apprise$/,
    takes: z.strictObject({
      title: z.string().min(1).max(250),
      body: z.string().min(1).max(32_768),
      type: z.enum(['info', 'success', 'warning', 'failure']),
      format: z.enum(['text', 'markdown', 'html']),
      tag: z.string(),
    }),
    answer: [200, ''],
  },
  http: {
    method: 'PUT',
    path: /^\/http\/secret-http$/,
    takes: z.strictObject({ text: z.string(), alert: z.unknown(), host: z.string() }),
    headers: { authorization: /^Bearer secret-http-header$/, 'webhook-id': /./ },
    answer: [200, ''],
  },
  ...ofStubs(stub => stub.service),
};

/** Why the service would not take a request; null if it takes it. */
export function refusalOf(type: CalledType, { method, url, headers, body }: Received): string | null {
  const service = services[type];
  if (method !== service.method) return `method ${method}`;
  if (!service.path.test(url)) return `path ${url}`;
  for (const [name, pattern] of Object.entries({ ...json, ...service.headers }))
    if (!pattern.test(String(headers[name] ?? ''))) return `header ${name}: ${headers[name]}`;
  const parsed = service.takes.safeParse(readBody(headers, body));
  return parsed.success ? null : z.prettifyError(parsed.error);
}

/** The signature that a receiver computes for itself, as standard-webhooks specifies. */
export function expectedSignature(secret: string, headers: Readonly<Record<string, unknown>>, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
