import { type Adapter, byStatus, jsonPost } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import { cut, cutLines } from '../text.ts';

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
export const apprise: Adapter<ChannelConfig<'apprise'>> = {
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
};
