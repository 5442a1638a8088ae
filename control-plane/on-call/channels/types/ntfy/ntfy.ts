import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { webhookUrlSchema } from '../../../../publishing/subscribers/address.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { field, maskable, token } from '../fields.ts';

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
export const ntfy = calledType({
  label: 'ntfy',
  about: 'Push notifications to phones',
  detail: 'brief',
  schema: z.object({
    server: field(webhookUrlSchema.default('https://ntfy.sh'), { label: 'Server', isAddress: true }),
    topic: field(maskable(z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, `_` or `-`')), {
      label: 'Topic',
      isSecret: true,
      hint: 'Anyone who knows it can read the messages.',
    }),
    token: field(token().nullable().default(null), { label: 'Access token', isSecret: true }),
  }),
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
});
