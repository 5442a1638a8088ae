import { type Adapter, byStatusAndMessage, jsonPost, reasonBytesMax } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import type { Message } from '../message.ts';
import { cut, cutLines } from '../text.ts';

const paths = {
  us: 'https://api.opsgenie.com/v2/alerts',
  eu: 'https://api.eu.opsgenie.com/v2/alerts',
  jsm: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts',
};

/** Alert API; a message is at most 130 characters, an alias 512, a description 15,000, a note 25,000, a tag 50. */
export const opsgenie: Adapter<ChannelConfig<'opsgenie'>> = {
  request: (message, config, { addresses }) => {
    const base = addresses.opsgenie === null ? paths[config.site] : `${addresses.opsgenie}/v2/alerts`;
    const headers = { authorization: `GenieKey ${config.api_key}` };
    const action = actionOf(message);
    if (action !== null) {
      const alias = encodeURIComponent(message.threadKey);
      const note = cutLines([message.title, ...message.lines], 25_000);
      return jsonPost(
        `${base}/${alias}/${action}?identifierType=alias`,
        { source: 'Upquorum', note },
        headers,
        reasonBytesMax,
      );
    }
    const description = cutLines([...message.lines, '', message.url, ...acknowledgeLine(message)], 15_000);
    return jsonPost(
      base,
      {
        message: cut(message.title, 130),
        alias: message.threadKey,
        description,
        priority: message.severity.toUpperCase(),
        source: 'Upquorum',
        tags: [message.step],
      },
      headers,
      reasonBytesMax,
    );
  },
  result: byStatusAndMessage,
};

function actionOf({ step }: Message): 'acknowledge' | 'close' | 'notes' | null {
  if (step === 'acknowledged') return 'acknowledge';
  if (step === 'resolved' || step === 'notice_closed') return 'close';
  return step === 'updated' || step === 'changed' ? 'notes' : null;
}

function acknowledgeLine({ acknowledgeUrl }: Message): string[] {
  return acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`];
}
