import { z } from 'zod';

// Bodies as the services document them, with their limits; a field that they do not know is refused.

const text = (max: number) => z.string().min(1).max(max);
const bytes = (max: number) => z.string().refine(value => Buffer.byteLength(value) <= max, `over ${max} bytes`);
const link = z.url({ protocol: /^https?$/ }).max(2000);

const slackText = z.strictObject({ type: z.enum(['mrkdwn', 'plain_text']), text: text(3000), verbatim: z.boolean() });
const slackButton = z.strictObject({
  type: z.literal('button'),
  text: z.strictObject({ type: z.literal('plain_text'), text: text(75) }),
  action_id: text(255),
  url: z.url().max(3000).optional(),
  value: text(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});
const slackBlocks = z
  .array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('section'), text: slackText }),
      z.strictObject({ type: z.literal('actions'), elements: z.array(slackButton).min(1).max(25) }),
    ]),
  )
  .max(50);
export const slack = z.strictObject({
  text: text(40_000),
  blocks: slackBlocks,
  unfurl_links: z.boolean(),
  unfurl_media: z.boolean(),
});

const pagerdutyKeys = { routing_key: text(64), dedup_key: text(255) };
export const pagerduty = z.discriminatedUnion('event_action', [
  z.strictObject({
    ...pagerdutyKeys,
    event_action: z.literal('trigger'),
    client: z.string(),
    client_url: link,
    links: z.array(z.strictObject({ href: link, text: z.string() })),
    payload: z.strictObject({
      summary: text(1024),
      source: text(255),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      custom_details: z.record(z.string(), z.string()),
    }),
  }),
  z.strictObject({ ...pagerdutyKeys, event_action: z.literal('acknowledge') }),
  z.strictObject({ ...pagerdutyKeys, event_action: z.literal('resolve') }),
]);

export const opsgenie = z.union([
  z.strictObject({
    message: text(130),
    alias: text(512),
    description: z.string().max(15_000),
    priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
    source: z.string().max(100),
    tags: z.array(text(50)).max(20),
  }),
  z.strictObject({ source: z.string().max(100), note: z.string().max(25_000) }),
]);

const openUrl = z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(100), url: link });
const textBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string(),
  wrap: z.boolean(),
  weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
  size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
  color: z.enum(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']).optional(),
  spacing: z.enum(['None', 'Small', 'Default', 'Medium', 'Large']).optional(),
});
export const teams = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        type: z.literal('AdaptiveCard'),
        version: z.enum(['1.2', '1.3', '1.4', '1.5']),
        body: z.array(textBlock).min(1),
        actions: z.array(openUrl).min(1).max(6),
      }),
    }),
  ]),
});

export const discord = z.strictObject({
  embeds: z
    .array(
      z.strictObject({
        title: text(256),
        url: link,
        description: text(4096),
        color: z.int().min(0).max(0xffffff),
      }),
    )
    .max(10),
  allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])) }),
});

/** What is left of HTML when Telegram has read its tags. */
const shownLength = (html: string) => html.replace(/<[^>]*>/g, '').replace(/&(lt|gt|amp|quot|#\w+);/g, 'x').length;
export const telegram = z.strictObject({
  chat_id: z.string(),
  message_thread_id: z.int().optional(),
  text: text(20_000).refine(html => shownLength(html) <= 4096 && isTelegramHtml(html)),
  parse_mode: z.literal('HTML'),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
  reply_parameters: z.strictObject({ message_id: z.int(), allow_sending_without_reply: z.boolean() }).optional(),
});

/** The tags that Telegram knows, closed in order, and no ampersand or bracket beside them. */
function isTelegramHtml(html: string): boolean {
  const open: string[] = [];
  const rest = html.replace(/<(\/?)(b|a)( href="[^"<>]*")?>/g, (_, slash: string, name: string) => {
    if (slash === '') open.push(name);
    else if (open.pop() !== name) open.push('wrong');
    return '';
  });
  return open.length === 0 && !/[<>]|&(?!(lt|gt|amp|quot|#\d+);)/.test(rest);
}

const ntfyAction = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('view'), label: text(100), url: link }),
  z.strictObject({
    action: z.literal('http'),
    label: text(100),
    url: link,
    method: z.enum(['POST', 'PUT', 'GET']),
    clear: z.boolean(),
  }),
]);
export const ntfy = z.strictObject({
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
  title: bytes(250),
  message: bytes(4096),
  priority: z.int().min(1).max(5),
  tags: z.array(text(50)),
  click: link,
  actions: z.array(ntfyAction).max(3),
});

const chatButton = z.strictObject({
  text: text(50),
  onClick: z.strictObject({ openLink: z.strictObject({ url: link }) }),
});
const chatWidget = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: text(32_000) }) }),
  z.strictObject({ buttonList: z.strictObject({ buttons: z.array(chatButton).min(1) }) }),
]);
export const googleChat = z.strictObject({
  cardsV2: z.tuple([
    z.strictObject({
      cardId: text(64),
      card: z.strictObject({
        header: z.strictObject({ title: text(1000), subtitle: z.string().max(1000) }),
        sections: z.array(z.strictObject({ widgets: z.array(chatWidget).min(1).max(100) })),
      }),
    }),
  ]),
  thread: z.strictObject({ threadKey: text(4000) }),
});
