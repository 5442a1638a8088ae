import { z } from 'zod';
import { clientAuths, oauth2Max } from '#shared/checks/auth.ts';
import { refuseRepeats } from '../../../platform/http/bodies/validate.ts';
import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';
import { encodedUrl, urlError, urlLengthMax } from '../url.ts';

const textOf = (bytesMax: number) =>
  bytesAtMost(bytesMax).regex(/^[^\p{Cc}]*$/u, 'must not contain control characters');

export const clientIdSchema = textOf(oauth2Max.clientId).min(1);
export const clientSecretSchema = textOf(oauth2Max.clientSecret).min(1);

const tokenUrl = z
  .string()
  .overwrite(encodedUrl)
  .max(urlLengthMax)
  .superRefine((text, context) => {
    const error = /^https?:/i.test(text) ? urlError(text) : 'must begin with http:// or https://';
    if (error !== null) context.addIssue({ code: 'custom', params: { code: 'format' }, message: error });
  });

/** Client credentials of RFC 6749. */
export const oauth2Schema = z.object({
  type: z.literal('oauth2'),
  token_url: tokenUrl.describe('URL of http or https at which tokens are fetched.'),
  client_id: clientIdSchema.describe('ID of the client.'),
  client_secret: clientSecretSchema.describe('Secret of the client; always shown as `"********"`.'),
  scopes: z
    .array(
      z
        .string()
        .max(oauth2Max.scope)
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be visible ASCII without quotation marks and backslashes'),
    )
    .max(oauth2Max.scopes)
    .superRefine(refuseRepeats)
    .default([])
    .describe('Scopes that are asked for.'),
  audience: textOf(oauth2Max.audience)
    .nullable()
    .default(null)
    .describe('What the token is for, sent as `audience`; null to send none.'),
  client_auth: z
    .enum(clientAuths)
    .default('header')
    .describe('Whether the client signs in by HTTP Basic (`header`), or with its secret in the form (`body`).'),
});
export type Oauth2Settings = z.output<typeof oauth2Schema>;

/** The client credentials, as they are sealed and as agents get them; null for what is only a header. */
export function oauth2Of(
  auth: Oauth2Settings | { type: 'basic' | 'bearer' } | null | undefined,
): Oauth2Settings | null {
  return auth?.type === 'oauth2' ? auth : null;
}
