import type { Channel } from '../../session/api-types.ts';

export type ChannelType = Channel['type'];
/** One member of a channel's `config`: how it is labelled and typed. */
export type ChannelField = {
  name: string;
  label: string;
  /** `list`: one item a line; `pairs`: `Name: value` a line; `area`: several lines. */
  kind: 'text' | 'number' | 'list' | 'pairs' | 'area' | 'choice';
  /** Shown masked once it is stored. */
  isSecret?: true;
  isOptional?: true;
  hint?: string;
  placeholder?: string;
  choices?: readonly (readonly [value: string, label: string])[];
  initial?: string;
};

const secretUrl = (label: string, placeholder: string, hint?: string): ChannelField => ({
  name: 'url',
  label,
  kind: 'text',
  isSecret: true,
  placeholder,
  ...(hint === undefined ? {} : { hint }),
});

/** What each type is called, what it is for, and what it needs. */
export const channelTypes: Readonly<
  Record<ChannelType, { label: string; about: string; fields: readonly ChannelField[] }>
> = {
  email: {
    label: 'Email',
    about: 'Up to 20 addresses; each confirms once',
    fields: [
      { name: 'to', label: 'Addresses', kind: 'list', placeholder: 'ops@example.com', hint: 'One address per line.' },
    ],
  },
  slack: {
    label: 'Slack',
    about: 'A channel of the project’s bot, or an incoming webhook',
    fields: [
      { name: 'channel', label: 'Channel of the bot', kind: 'text', isOptional: true, placeholder: '#alerts' },
      {
        name: 'webhook_url',
        label: 'Or an incoming webhook',
        kind: 'text',
        isOptional: true,
        isSecret: true,
        placeholder: 'https://hooks.slack.com/services/…',
      },
    ],
  },
  webhook: {
    label: 'Webhook',
    about: 'Signed JSON to your own endpoint',
    fields: [secretUrl('URL', 'https://ops.example.com/alerts')],
  },
  pagerduty: {
    label: 'PagerDuty',
    about: 'Incidents by Events API v2',
    fields: [
      { name: 'routing_key', label: 'Integration key', kind: 'text', isSecret: true },
      {
        name: 'region',
        label: 'Service region',
        kind: 'choice',
        initial: 'us',
        choices: [
          ['us', 'United States'],
          ['eu', 'Europe'],
        ],
      },
      {
        name: 'webhook_secret',
        label: 'Webhook secret',
        kind: 'text',
        isSecret: true,
        isOptional: true,
        hint: 'Of a V3 webhook subscription. With it, acknowledging in PagerDuty acknowledges here.',
      },
    ],
  },
  opsgenie: {
    label: 'Opsgenie',
    about: 'Or its successor, Jira Service Management',
    fields: [
      { name: 'api_key', label: 'API key', kind: 'text', isSecret: true },
      {
        name: 'site',
        label: 'Site',
        kind: 'choice',
        initial: 'us',
        choices: [
          ['us', 'Opsgenie, United States'],
          ['eu', 'Opsgenie, Europe'],
          ['jsm', 'Jira Service Management'],
        ],
      },
    ],
  },
  teams: {
    label: 'Microsoft Teams',
    about: 'A workflow that posts to a channel',
    fields: [
      secretUrl('URL of the workflow', 'https://…', 'Its trigger is “When a Teams webhook request is received”.'),
    ],
  },
  discord: {
    label: 'Discord',
    about: 'A webhook of a channel',
    fields: [
      secretUrl('Webhook URL', 'https://discord.com/api/webhooks/…'),
      { name: 'thread_id', label: 'Thread ID', kind: 'text', isOptional: true },
    ],
  },
  telegram: {
    label: 'Telegram',
    about: 'A bot in a chat or channel',
    fields: [
      { name: 'bot_token', label: 'Bot token', kind: 'text', isSecret: true, placeholder: '123456:AbC…' },
      { name: 'chat_id', label: 'Chat ID', kind: 'text', placeholder: '-100123 or @channelname' },
      { name: 'topic_id', label: 'Topic ID', kind: 'number', isOptional: true },
    ],
  },
  ntfy: {
    label: 'ntfy',
    about: 'Push notifications to phones',
    fields: [
      { name: 'server', label: 'Server', kind: 'text', initial: 'https://ntfy.sh' },
      {
        name: 'topic',
        label: 'Topic',
        kind: 'text',
        isSecret: true,
        hint: 'Anyone who knows it can read the messages.',
      },
      { name: 'token', label: 'Access token', kind: 'text', isSecret: true, isOptional: true },
    ],
  },
  google_chat: {
    label: 'Google Chat',
    about: 'A webhook of a space',
    fields: [secretUrl('Webhook URL', 'https://chat.googleapis.com/v1/spaces/…')],
  },
  apprise: {
    label: 'Apprise',
    about: 'Any service that Apprise API knows',
    fields: [
      secretUrl('URL', 'https://apprise.example.com/notify/key'),
      { name: 'tag', label: 'Tag', kind: 'text', isOptional: true },
    ],
  },
  http: {
    label: 'HTTP request',
    about: 'Any endpoint, with a body from a template',
    fields: [
      secretUrl('URL', 'https://example.com/notify'),
      {
        name: 'method',
        label: 'Method',
        kind: 'choice',
        initial: 'POST',
        choices: [
          ['POST', 'POST'],
          ['PUT', 'PUT'],
        ],
      },
      { name: 'content_type', label: 'Content type', kind: 'text', initial: 'application/json' },
      {
        name: 'headers',
        label: 'Headers',
        kind: 'pairs',
        isOptional: true,
        isSecret: true,
        placeholder: 'Authorization: Bearer …',
        hint: 'One header per line.',
      },
      {
        name: 'template',
        label: 'Body',
        kind: 'area',
        initial: '{"text": {{title|json}}}',
        hint: '{{title}} and other values are replaced: step, title, text, alert, group, monitor, links, project.',
      },
    ],
  },
};

export const channelTypeNames = Object.keys(channelTypes) as ChannelType[];
