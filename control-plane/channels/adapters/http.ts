import { type Adapter, byStatus } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import type { Message } from '../message.ts';
import { renderTemplate, type TemplateValues } from '../template.ts';

const bodyBytesMax = 262_144;

/** A request of the customer's own making: their template, filled. */
export const http: Adapter<ChannelConfig<'http'>> = {
  request: (message, config, context) => {
    const values = templateValues(message);
    const body = renderTemplate(config.template, config.content_type, values, bodyBytesMax);
    if (Buffer.byteLength(body) > bodyBytesMax) return { held: 'the filled template is larger than 256 KiB' };
    return {
      url: config.url,
      method: config.method,
      headers: { ...config.headers, 'content-type': config.content_type, 'webhook-id': context.deliveryId },
      body,
      bodyBytesMax: 0,
    };
  },
  result: byStatus,
};

/** What a template can name. */
export function templateValues({ notice, ...message }: Message): TemplateValues {
  const [first] = notice.members;
  return {
    step: message.step,
    title: message.title,
    text: message.lines.join('\n'),
    alert: first?.alert ?? null,
    group: notice.group,
    monitor: first === undefined ? null : { ...first.monitor, labels: first.alert.labels },
    links: { alert: message.url, acknowledge: message.acknowledgeUrl },
    project: notice.project,
  };
}
