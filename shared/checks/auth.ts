import { z } from 'zod';

/** How a client says who it is at a token endpoint: in a header, or in the form. */
export const clientAuths = ['header', 'body'] as const;

/** Bounds of client credentials; lengths in characters, of the secret and of the client's ID in bytes. */
export const oauth2Max = { clientId: 512, clientSecret: 2048, scopes: 20, scope: 200, audience: 500 } as const;

/**
 * How checks sign in, as agents get it: client credentials of RFC 6749, with the secret in clear. What is only a header
 * is among the headers.
 */
export const wireAuthSchema = z.object({
  type: z.literal('oauth2'),
  token_url: z.string().max(2048),
  client_id: z.string().max(oauth2Max.clientId),
  client_secret: z.string().max(oauth2Max.clientSecret),
  scopes: z.array(z.string().max(oauth2Max.scope)).max(oauth2Max.scopes),
  audience: z.string().max(oauth2Max.audience).nullable(),
  client_auth: z.enum(clientAuths),
});
export type WireAuth = z.infer<typeof wireAuthSchema>;
