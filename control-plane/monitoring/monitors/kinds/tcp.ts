import { z } from 'zod';
import type { Kind } from './kind.ts';
import { sentTextBytesMax, sentTextSchema } from './sent-text.ts';
import { endpointOf, hostUrlError } from './target.ts';

/** To a mail server, a monitor that sends could be made to send mail. */
const mailPorts = [25, 465, 587, 2525];

const own = z
  .object({
    send: sentTextSchema(sentTextBytesMax.tcp).describe(
      'Text that is sent once connected, shown as `"********"` without `monitors:write`.',
    ),
    read: z.boolean().default(false).describe('Whether at least one byte of an answer must come.'),
  })
  .meta({ title: 'TcpCheck' });
export type TcpSettings = z.output<typeof own>;

export const tcp: Kind<TcpSettings> = {
  kind: 'tcp',
  schemes: ['tcp:'],
  own,
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['body_contains', 'addresses'],
  hasCertificate: false,
  egress: 'whole',
  takesAuth: false,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError: url => hostUrlError(url, 'tcp://host:port', { port: true }),
  errors: ({ url, own: settings }) => {
    if (url === undefined || settings?.send == null || !mailPorts.includes(endpointOf(url).port)) return [];
    const detail = `must be null: nothing is sent to the ports of mail, ${mailPorts.join(', ')}`;
    return [{ pointer: '/tcp/send', code: 'not_allowed', detail }];
  },
  needs: () => ['tcp'],
  check: ({ url, own: { send, read } }) => ({ kind: 'tcp', ...endpointOf(url), send, read }),
};
