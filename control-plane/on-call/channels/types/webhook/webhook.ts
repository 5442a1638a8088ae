import { z } from 'zod';
import { webhookRequest } from '../../../../delivery/transports/webhook/webhook.ts';
import type { Message } from '../../message.ts';
import { byStatus, calledType } from '../channel-type.ts';
import { secretUrl } from '../fields.ts';

/** The body of the project's own webhooks with the group beside the alert, signed as standard-webhooks specifies. */
export const webhook = calledType({
  label: 'Webhook',
  about: 'Signed JSON to your own endpoint',
  isSigned: true,
  schema: z.object({ url: secretUrl({ label: 'URL', placeholder: 'https://ops.example.com/alerts' }) }),
  request: (message, { url }, { deliveryId: id, nowMs, signingSecret }) => {
    const body = JSON.stringify(webhookBody(message));
    return webhookRequest({ id, body }, { url, secrets: [signingSecret ?? ''], nowMs });
  },
  result: byStatus,
});

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
