import { type Adapter, byStatus, jsonPost } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines } from '../text.ts';

const priorities = { p1: 5, p2: 4, p3: 3 };
const tags = {
  ok: 'white_check_mark',
  slow: 'warning',
  part: 'warning',
  down: 'rotating_light',
  work: 'wrench',
  none: 'bell',
  note: 'bell',
};

/** A message published as JSON: longer than 4096 bytes it would become a file. */
export const ntfy: Adapter<ChannelConfig<'ntfy'>> = {
  request: (message, config) => {
    const { acknowledgeUrl } = message;
    const view = { action: 'view', label: 'View', url: message.url };
    const acknowledge = { action: 'http', label: 'Acknowledge', url: acknowledgeUrl, method: 'POST', clear: true };
    const isOver = message.tone === 'ok' || message.tone === 'note';
    return jsonPost(
      config.server,
      {
        topic: config.topic,
        title: cut(message.title, 250, 'bytes'),
        message: cutLines(message.lines, 3800, { unit: 'bytes' }),
        priority: isOver ? 3 : priorities[message.severity],
        tags: [tags[message.tone]],
        click: message.url,
        actions: [view, ...(acknowledgeUrl === null ? [] : [acknowledge])],
      },
      config.token === null ? {} : { authorization: `Bearer ${config.token}` },
    );
  },
  result: byStatus,
};
