import { z } from 'zod';

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'must be a header name');
const headerValue = z
  .string()
  .max(2000)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
const ownHeaders = ['connection', 'content-length', 'content-type', 'host', 'keep-alive', 'te', 'trailer'];
const framingHeaders = ['transfer-encoding', 'upgrade', 'user-agent', 'accept-encoding'];
const headersMax = 20;

/** Headers that a customer may choose. A mask is a value, too. */
export const headersSchema = z.record(headerName, headerValue).superRefine((headers, context) => {
  const names = Object.keys(headers);
  if (names.length > headersMax)
    context.addIssue({
      code: 'custom',
      params: { code: 'too_long' },
      message: `must have at most ${headersMax} items`,
    });
  for (const name of names)
    if ([...ownHeaders, ...framingHeaders].includes(name.toLowerCase()))
      context.addIssue({
        code: 'custom',
        path: [name],
        params: { code: 'not_allowed' },
        message: 'is set by Upquorum and cannot be changed',
      });
});
