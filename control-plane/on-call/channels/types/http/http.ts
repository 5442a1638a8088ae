import { z } from 'zod';
import { callService, type Sent, unthreaded } from '../../../../delivery/transports/transport.ts';
import type { Outbound, OutboundRequest } from '../../../../platform/http/outbound.ts';
import { fieldProblem } from '../../../../platform/http/problem.ts';
import type { Message } from '../../message.ts';
import { byStatus, type CalledDefinition, type ChannelContext, calledType } from '../channel-type.ts';
import { field, secretUrl } from '../fields.ts';
import { headersSchema } from './headers.ts';
import { plainForm } from './plain-form.ts';
import { sampleValues } from './sample.ts';
import { checkTemplate, renderTemplate, TemplateError } from './template.ts';
import { templateValues } from './template-values.ts';

const bodyBytesMax = 262_144;

const schema = z.object({
  url: secretUrl({ label: 'URL', placeholder: 'https://example.com/notify' }),
  method: field(z.enum(['POST', 'PUT']).default('POST'), { label: 'Method' }),
  content_type: field(
    z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=utf-8)?$/i, 'must be a media type')
      .default('application/json'),
    { label: 'Content type' },
  ),
  headers: field(headersSchema.default({}), {
    label: 'Headers',
    isSecret: true,
    placeholder: 'Authorization: Bearer …',
    hint: 'One header per line.',
  }),
  template: field(
    z
      .string()
      .min(1)
      .max(16_384)
      .describe('Template of the body. `{{path}}` is replaced by a value, escaped for `content_type`.'),
    {
      label: 'Body',
      isLong: true,
      initial: '{"text": {{title|json}}}',
      hint: '{{title}} and other values are replaced: step, title, text, alert, group, monitor, links, project.',
    },
  ),
});
type Config = z.output<typeof schema>;

const templated = calledType({
  label: 'HTTP request',
  about: 'Any endpoint, with a body from a template',
  hasTemplate: true,
  // Paths of a host may belong to different people.
  isBoundToUrl: true,
  schema,
  check: ({ template, content_type }) => {
    try {
      checkTemplate(template, content_type, ...sampleValues);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw fieldProblem('/config/template', 'format', error.message);
    }
  },
  request: (message, config, context) => {
    const values = templateValues(message);
    const body = renderTemplate(config.template, config.content_type, values, bodyBytesMax);
    if (Buffer.byteLength(body) > bodyBytesMax) return { onHold: 'the filled template is larger than 256 KiB' };
    return requestOf(config, context, config.content_type, body);
  },
  result: byStatus,
});

/**
 * A request of the customer's own making: their template, filled. A receiver that does not take what it makes of a
 * message gets the message in its plain form, unless it is a test of the template.
 */
export const http: CalledDefinition<typeof schema> = {
  ...templated,
  send: async (message, context) => {
    const noted = noteStatus(context.outbound);
    const sent = await templated.send(message, { ...context, outbound: noted.outbound });
    if (message.step === 'test' || !unreadStatuses.includes(noted.status())) return sent;
    return sendPlain(message, context, noted.status());
  },
};

/** Statuses that say: the request as it is written is not taken. */
const unreadStatuses = [400, 413, 415, 422];

function noteStatus(outbound: Outbound): { outbound: Outbound; status(): number } {
  let status = 0;
  const post: Outbound['post'] = async request => {
    const answer = await outbound.post(request);
    status = answer.status;
    return answer;
  };
  return { outbound: { post }, status: () => status };
}

/** The outcome counts against the channel also if it is sent: its template is wrong. */
async function sendPlain(
  message: Message,
  context: ChannelContext & { outbound: Outbound; config: Config },
  status: number,
): Promise<Sent> {
  const refused = `the receiver refused the filled template with HTTP status ${status}`;
  const request = requestOf(context.config, context, ...plainForm(message, context.config.content_type));
  const plain = await callService(context.outbound, request, answer => byStatus(answer, context));
  switch (plain.outcome.type) {
    case 'sent':
      return unthreaded({ type: 'sent', note: `${refused}; it got the plain form instead`, blame: true });
    case 'refused':
    case 'failed':
      return unthreaded({
        ...plain.outcome,
        error: `${refused}, and the plain form failed: ${plain.outcome.error}`,
      });
    default:
      return plain;
  }
}

function requestOf(
  { url, method, headers }: Config,
  { deliveryId }: Pick<ChannelContext, 'deliveryId'>,
  contentType: string,
  body: string,
): OutboundRequest {
  const own = { 'content-type': contentType, 'webhook-id': deliveryId };
  return { url, method, headers: { ...headers, ...own }, body, bodyBytesMax: 0 };
}
