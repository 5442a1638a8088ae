import type { OutboundRequest } from '../../../platform/http/outbound.ts';
import { type Adapter, type AdapterContext, byStatus } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import type { Message } from '../message.ts';
import { isForm, isJson, renderTemplate, type TemplateValues } from '../template.ts';
import { cutLines } from '../text.ts';

const bodyBytesMax = 262_144;

/** A request of the customer's own making: their template, filled. */
export const http: Adapter<ChannelConfig<'http'>> = {
  request: (message, config, context) => {
    const values = templateValues(message);
    const body = renderTemplate(config.template, config.content_type, values, bodyBytesMax);
    if (Buffer.byteLength(body) > bodyBytesMax) return { held: 'the filled template is larger than 256 KiB' };
    return requestOf(config, context, config.content_type, body);
  },
  result: byStatus,
  plain: (message, config, context) => {
    const [type, body] = plainForm(message, config.content_type);
    return requestOf(config, context, type, body);
  },
};

function requestOf(
  { url, method, headers }: ChannelConfig<'http'>,
  { deliveryId }: AdapterContext,
  contentType: string,
  body: string,
): OutboundRequest {
  const own = { 'content-type': contentType, 'webhook-id': deliveryId };
  return { url, method, headers: { ...headers, ...own }, body, bodyBytesMax: 0 };
}

/** Only a title and a text, for a receiver that does not take what the template makes of this message. */
function plainForm({ title, lines, url, acknowledgeUrl }: Message, contentType: string): [type: string, body: string] {
  const acknowledge = acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`];
  const text = cutLines([title, ...lines, `View: ${url}`, ...acknowledge], 10_000);
  if (isJson(contentType)) return [contentType, JSON.stringify({ title, text })];
  if (isForm(contentType)) return [contentType, new URLSearchParams({ title, text }).toString()];
  return ['text/plain; charset=utf-8', text];
}

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
