import { type Channel, channelProblem, putChannel } from '../draft/channels.ts';
import type { Draft } from '../draft/draft.ts';
import type { Notified } from '../draft/routes.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, jsonOf, lineOf, numberOf, objectOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import type { KumaMonitor } from './monitors.ts';
import type { KumaSource } from './source.ts';

/** A channel of each type of notification that has one here; a text says why this one has none. */
const channelOf: Readonly<Record<string, (given: Item, thing: Thing) => Channel | string>> = {
  slack: ({ slackwebhookURL: webhook_url }) => channel('slack', { webhook_url }),
  discord: ({ discordWebhookUrl: url, threadId }) =>
    channel('discord', { url, ...(/^\d{5,20}$/.test(textOf(threadId)) ? { thread_id: threadId } : {}) }),
  telegram: ({ telegramBotToken, telegramChatID, telegramMessageThreadID: thread }) =>
    channel('telegram', {
      bot_token: telegramBotToken,
      chat_id: telegramChatID,
      topic_id: numberOf(thread) ?? undefined,
    }),
  smtp: ({ smtpTo, smtpCC, smtpBCC }, thing) => {
    const to = [smtpTo, smtpCC, smtpBCC].flatMap(list =>
      textOf(list)
        .split(/[,;]/)
        .map(address => address.trim().replace(/^.*<(.*)>$/, '$1'))
        .filter(address => address !== ''),
    );
    thing.dropped('smtpHost', null, 'emails go out by the mail server of Upquorum; each address confirms once');
    return { type: 'email', config: { to: [...new Set(to)] } };
  },
  webhook: ({ webhookURL: url }, thing) => {
    thing.dropped('webhookContentType', null, 'the receiver gets the signed JSON of Upquorum');
    return channel('webhook', { url });
  },
  PagerDuty: ({ pagerdutyIntegrationKey: routing_key }) => channel('pagerduty', { routing_key }),
  Opsgenie: ({ opsgenieApiKey: api_key, opsgenieRegion }) =>
    channel('opsgenie', { api_key, site: opsgenieRegion === 'eu' ? 'eu' : 'us' }),
  pushover: ({ pushoverapptoken: token, pushoveruserkey: user, pushoverdevice: device }) =>
    channel('pushover', { token, user, device }),
  teams: ({ webhookUrl: url }) => channel('teams', { url }),
  ntfy: ({ ntfyserverurl: server, ntfytopic: topic, ntfyaccesstoken: token, ntfyAuthenticationMethod: method }) =>
    method === 'usernamePassword'
      ? 'it signs in with a password: make an access token in ntfy'
      : channel('ntfy', { server, topic, ...(method === 'accessToken' ? { token } : {}) }),
  gotify: ({ gotifyserverurl: server, gotifyapplicationToken: token }) => channel('gotify', { server, token }),
  matrix: ({ homeserverUrl: server, accessToken: access_token, internalRoomId: room_id }) =>
    channel('matrix', { server, access_token, room_id }),
  mattermost: ({ mattermostWebhookUrl: url }) => channel('mattermost', { url }),
  'rocket.chat': ({ rocketwebhookURL: url }) => channel('rocket_chat', { url }),
  GoogleChat: ({ googleChatWebhookURL: url }) => channel('google_chat', { url }),
};

const required: Readonly<Record<string, readonly string[]>> = {
  slack: ['webhook_url'],
  telegram: ['bot_token', 'chat_id'],
  pagerduty: ['routing_key'],
  opsgenie: ['api_key'],
  pushover: ['token', 'user'],
  ntfy: ['topic'],
  gotify: ['server', 'token'],
  matrix: ['server', 'access_token', 'room_id'],
};

/** Puts the channels into the documents: their keys by the ids of notifications. */
export function putNotifications(draft: Draft, source: KumaSource): Map<number, string> {
  const keys = new Map<number, string>();
  for (const row of source.rows('notification')) {
    const config = objectOf(jsonOf(row.config));
    const type = textOf(config.type ?? row.type);
    const id = numberOf(row.id) ?? 0;
    const thing = draft.thing('notification', lineOf(row.name ?? config.name, 100, type), String(id));
    const made = channelOf[type]?.(config, thing) ?? `there is no type of channel for ${type}`;
    const problem = typeof made === 'string' ? made : (missingOf(made) ?? channelProblem(made));
    if (typeof made === 'string' || problem !== null) {
      thing.leftOut(problem ?? '');
      continue;
    }
    if (row.active !== undefined && !isTrue(row.active))
      thing.changed('active', false, true, 'no route notifies it unless a monitor does');
    if (hasTemplate(config)) thing.dropped('template', null, 'messages have no text of their own');
    const key = putChannel(draft, thing.name, made);
    keys.set(id, key);
    thing.carried(key);
  }
  return keys;
}

/** Whom the alerts of the monitors notify, and how often again. */
export function notifiedBy(
  source: KumaSource,
  monitors: readonly KumaMonitor[],
  keys: ReadonlyMap<number, string>,
): Notified[] {
  const byMonitor = new Map<number, string[]>();
  const silent = new Set(
    source
      .rows('notification')
      .flatMap(row => (row.active === undefined || isTrue(row.active) ? [] : [numberOf(row.id)])),
  );
  for (const row of source.rows('monitor_notification')) {
    const [monitor, notification] = [numberOf(row.monitor_id) ?? 0, numberOf(row.notification_id) ?? 0];
    const key = silent.has(notification) ? undefined : keys.get(notification);
    if (key !== undefined) byMonitor.set(monitor, [...new Set([...(byMonitor.get(monitor) ?? []), key])]);
  }
  return monitors.map(({ id, key, row }) => {
    const beats = numberOf(row.resend_interval) ?? 0;
    const minutes = Math.round((beats * (numberOf(row.interval) || 60)) / 60);
    const remindMinutes = beats > 0 ? Math.min(1440, Math.max(5, minutes)) : null;
    return { monitorKey: key, channels: byMonitor.get(id) ?? [], remindMinutes };
  });
}

function channel(type: string, config: Item): Channel {
  const written = Object.entries(config)
    .map(([name, value]) => [name, name === 'topic_id' ? value : textOf(value).trim()] as const)
    .filter(([, value]) => value !== '' && value !== undefined);
  return { type, config: Object.fromEntries(written) };
}

function missingOf({ type, config }: Channel): string | null {
  const missing = (required[type] ?? ['url']).find(name => type !== 'email' && config[name] === undefined);
  return missing === undefined ? null : `it has no ${missing.replaceAll('_', ' ')}`;
}

function hasTemplate(config: Item): boolean {
  return Object.entries(config).some(
    ([name, value]) =>
      /template|customBody|customSubject|customMessage/i.test(name) &&
      value !== '' &&
      value !== false &&
      value !== null,
  );
}
