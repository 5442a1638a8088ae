import { z } from 'zod';
import { subprotocolLengthMax, subprotocolsMax } from '#shared/checks/vocabulary.ts';
import { refuseRepeats } from '../../../platform/http/bodies/validate.ts';
import { encodedUrl } from '../url.ts';
import type { Kind } from './kind.ts';
import { sentTextBytesMax, sentTextSchema } from './sent-text.ts';
import { targetOf } from './target.ts';

const own = z
  .object({
    subprotocols: z
      .array(
        z
          .string()
          .max(subprotocolLengthMax)
          .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'must be a token of RFC 9110'),
      )
      .max(subprotocolsMax)
      .superRefine(refuseRepeats)
      .default([])
      .describe('Subprotocols that are offered, in order of preference; the server must choose one.'),
    send: sentTextSchema(sentTextBytesMax.websocket).describe(
      'Message that is sent, shown as `"********"` without `monitors:write`.',
    ),
    read: z.boolean().default(false).describe('Whether a message must come.'),
  })
  .meta({ title: 'WebsocketCheck' });
export type WebsocketSettings = z.output<typeof own>;

const usualPorts: Readonly<Record<string, number>> = { 'ws:': 80, 'wss:': 443 };

export const websocket: Kind<WebsocketSettings> = {
  kind: 'websocket',
  schemes: ['ws:', 'wss:'],
  own,
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['body_contains', 'header', 'json_path', 'tls_version', 'addresses'],
  hasCertificate: true,
  egress: 'whole',
  takesAuth: true,
  takesHttpVersion: false,
  encodedUrl,
  urlError: url => {
    const target = targetOf(url);
    if (target !== null && target.host !== '') return null;
    return 'must have the form ws://host[:port]/path or wss://host[:port]/path';
  },
  errors: () => [],
  needs: () => ['websocket'],
  check: ({ url, own: { subprotocols, send, read } }) => {
    const { scheme = '', host = '', port = null, path, query } = targetOf(url) ?? {};
    const endpoint = {
      secure: scheme === 'wss:',
      host,
      port: port ?? usualPorts[scheme] ?? 80,
      path: `${path ?? '/'}${query ?? ''}`,
    };
    return { kind: 'websocket', ...endpoint, subprotocols, send, read };
  },
};
