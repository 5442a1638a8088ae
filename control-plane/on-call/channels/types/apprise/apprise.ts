import { z } from 'zod';
import { jsonPost } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { field, secretUrl } from '../fields.ts';

const types = {
  ok: 'success',
  slow: 'warning',
  part: 'warning',
  down: 'failure',
  work: 'info',
  none: 'info',
  note: 'info',
};

/** A notification of Apprise API, which hands plain text on to other services. */
export const apprise = calledType({
  label: 'Apprise',
  about: 'Any service that Apprise API knows',
  schema: z.object({
    url: secretUrl(
      { label: 'URL', placeholder: 'https://apprise.example.com/notify/key' },
      'URL of an Apprise API, such as `https://apprise.example.com/notify/key`.',
    ),
    tag: field(z.string().min(1).max(200).nullable().default(null), { label: 'Tag' }),
  }),
  request: (message, config) => {
    const links = [`View: ${message.url}`];
    if (message.acknowledgeUrl !== null) links.push(`Acknowledge: ${message.acknowledgeUrl}`);
    const body = `${cutLines(message.lines, 4000)}\n${links.join('\n')}`;
    const tag = config.tag === null ? {} : { tag: config.tag };
    return jsonPost(config.url, {
      title: cut(message.title, 250),
      body,
      type: types[message.tone],
      format: 'text',
      ...tag,
    });
  },
  result: byStatus,
});
