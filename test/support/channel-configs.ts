import type { ChannelType } from '#control-plane/on-call/channels/types/registry.ts';
import { ofStubs } from './services/stubs.ts';

/** Types of channels that are called over HTTP. */
export type CalledType = Exclude<ChannelType, 'email'>;

/** A configuration of each type, on a stub at `base`. Each secret is matched by `secretMark`. */
export function channelConfigs(base: string): Record<CalledType, Record<string, unknown>> {
  return {
    slack: { webhook_url: `${base}slack/secret-slack` },
    webhook: { url: `${base}webhook/secret-webhook` },
    pagerduty: { routing_key: 'secret-pagerduty', webhook_secret: 'secret-pagerduty-hook' },
    opsgenie: { api_key: 'secret-opsgenie', site: 'jsm' },
    teams: { url: `${base}teams/secret-teams` },
    discord: { url: `${base}discord/secret-discord`, thread_id: '123456789' },
    telegram: { bot_token: '123456:secret-telegram-aaaaaaaaaaaaaa', chat_id: '-100123', topic_id: 7 },
    ntfy: { server: `${base}ntfy`, topic: 'secret-ntfy', token: 'secret-ntfy-token' },
    google_chat: { url: `${base}chat/v1/spaces/a/messages?key=secret-chat&token=secret-chat-token` },
    apprise: { url: `${base}notify/secret-apprise`, tag: 'ops' },
    http: {
      url: `${base}http/secret-http`,
      method: 'PUT',
      headers: { authorization: 'Bearer secret-http-header' },
      template: '{"text":"{{title}}","alert":{{alert|json}},"host":"{{monitor.host}}"}',
    },
    ...ofStubs(stub => stub.config(base)),
  };
}

/** What no secret of these configurations is without, and nothing else of them has. */
export const secretMark = /secret-|secretPushover/;
