import { signWebhook } from '../../../delivery/notifications/webhooks/send.ts';
import { type Adapter, byStatus, jsonHeaders } from '../adapter.ts';
import type { ChannelConfig } from '../config.ts';
import type { Message } from '../message.ts';

/** The body of the project's own webhooks with the group beside the alert, signed as standard-webhooks specifies. */
export const webhook: Adapter<ChannelConfig<'webhook'>> = {
  request: (message, config, { deliveryId, nowMs, signingSecret }) => {
    const timestamp = Math.floor(nowMs / 1000);
    const body = JSON.stringify(webhookBody(message));
    return {
      url: config.url,
      headers: {
        ...jsonHeaders,
        'webhook-id': deliveryId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signWebhook(signingSecret ?? '', deliveryId, timestamp, body),
      },
      body,
      bodyBytesMax: 0,
    };
  },
  result: byStatus,
};

function webhookBody({ notice, title, lines }: Message): unknown {
  const [first] = notice.members;
  const group =
    notice.group === null ? null : { ...notice.group, alert_ids: notice.members.map(({ alert }) => alert.id) };
  const text = { title, lines };
  return {
    type: `alert.${notice.step}`,
    timestamp: new Date(notice.at).toISOString(),
    data: { alert: first?.alert ?? null, group, ...text },
  };
}
