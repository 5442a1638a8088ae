import { jsonPost, reasonBytesMax } from '../../../../delivery/transports/answer.ts';
import { cut, cutLines } from '../../../../delivery/transports/text.ts';
import type { OutboundRequest } from '../../../../platform/http/outbound.ts';
import type { Message } from '../../message.ts';

/**
 * A call of Atlassian's alert API, which Opsgenie and Jira Service Management have in common: a message is at most 130
 * characters, an alias 512, a description 15,000, a note 25,000, a tag 50.
 */
export function alertRequest(base: string, apiKey: string, message: Message): OutboundRequest {
  const post = (url: string, body: object) =>
    jsonPost(url, { source: 'Upquorum', ...body }, { authorization: `GenieKey ${apiKey}` }, reasonBytesMax);
  const action = actionOf(message);
  if (action !== null) {
    const url = `${base}/${encodeURIComponent(message.threadKey)}/${action}?identifierType=alias`;
    return post(url, { note: cutLines([message.title, ...message.lines], 25_000) });
  }
  return post(base, {
    message: cut(message.title, 130),
    alias: message.threadKey,
    description: cutLines([...message.lines, '', message.url, ...acknowledgeLine(message)], 15_000),
    priority: message.severity.toUpperCase(),
    tags: [message.step],
  });
}

function actionOf({ step }: Message): 'acknowledge' | 'close' | 'notes' | null {
  if (step === 'acknowledged') return 'acknowledge';
  if (step === 'resolved' || step === 'notice_closed') return 'close';
  return step === 'updated' || step === 'changed' ? 'notes' : null;
}

function acknowledgeLine({ acknowledgeUrl }: Message): string[] {
  return acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`];
}
