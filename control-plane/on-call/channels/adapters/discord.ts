import { pageTokens } from '../../../platform/design/tokens.ts';
import { type Adapter, jsonOf, jsonPost, resultOf } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines, escapeMarkdown } from '../text.ts';

/** A webhook of Discord: the title of an embed has at most 256 characters, its description 4096. */
export const discord: Adapter<ChannelConfig<'discord'>> = {
  request: (message, config) => {
    const url = new URL(config.url);
    if (config.thread_id !== null) url.searchParams.set('thread_id', config.thread_id);
    const links = [`[View](${message.url})`];
    if (message.acknowledgeUrl !== null) links.push(`[Acknowledge](${message.acknowledgeUrl})`);
    const tail = `\n\n${links.join(' · ')}`;
    const text = cutLines(message.lines, 4096 - tail.length, { write: escapeMarkdown });
    const fill = pageTokens[`${message.tone}-fill`]?.light ?? '#000000';
    const embed = {
      title: cut(message.title, 256, 'characters', escapeMarkdown),
      url: message.url,
      description: `${text}${tail}`,
      color: Number.parseInt(fill.slice(1, 7), 16),
    };
    const request = jsonPost(url.href, { embeds: [embed], allowed_mentions: { parse: [] } });
    return { ...request, bodyBytesMax: 4096 };
  },
  result: (answer, { nowMs }) => {
    const after = (jsonOf(answer) as { retry_after?: unknown } | null)?.retry_after;
    const retryMs = answer.status === 429 && typeof after === 'number' ? Math.ceil(after * 1000) : null;
    return resultOf(answer, nowMs, { retryMs });
  },
};
