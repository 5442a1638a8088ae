import { z } from 'zod';
import { emailNotConfigured } from '../../../../delivery/transports/email/send.ts';
import { onHold } from '../../../../delivery/transports/outcome.ts';
import { unthreaded } from '../../../../delivery/transports/transport.ts';
import { emailSchema } from '../../../../publishing/subscribers/address.ts';
import type { ChannelDefinition } from '../channel-type.ts';
import { field } from '../fields.ts';
import { alertEmail } from './alert-email.ts';

const addresses = z
  .array(emailSchema)
  .min(1)
  .max(20)
  .superRefine((items, context) => {
    for (const [index, item] of items.entries())
      if (items.findIndex(other => other.toLowerCase() === item.toLowerCase()) < index)
        context.addIssue({
          code: 'custom',
          path: [index],
          params: { code: 'not_allowed' },
          message: 'is given twice',
        });
  })
  .describe('Email addresses, each of which must be confirmed once.');

const schema = z.object({
  to: field(addresses, { label: 'Addresses', placeholder: 'ops@example.com', hint: 'One address per line.' }),
});

/** An email to each address of the configuration; a delivery names one of them. */
export const email: ChannelDefinition<typeof schema> = {
  label: 'Email',
  about: 'Up to 20 addresses; each confirms once',
  schema,
  mailboxes: ({ to }) => to,
  send: async (message, { mailer, config: { to }, deliveryId }) => {
    if (mailer === null) return unthreaded(onHold(emailNotConfigured));
    const idOf = (index: number) => (to.length === 1 ? deliveryId : `${deliveryId}-${index}`);
    const sending = to.map((address, index) => mailer.send(alertEmail(message, address, idOf(index))));
    const outcomes = await Promise.all(sending);
    return unthreaded(outcomes.find(outcome => outcome.type !== 'sent') ?? { type: 'sent' });
  },
};
