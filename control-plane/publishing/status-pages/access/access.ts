import { isIP } from 'node:net';
import { z } from 'zod';
import { parseRange } from '#shared/network/guard.ts';
import { refuseRepeats } from '../../../platform/http/bodies/validate.ts';

export const accessTypes = ['public', 'password', 'link', 'members', 'ip'] as const;
export type AccessType = (typeof accessTypes)[number];

/** Stands for the password that the page has. */
export const hiddenPassword = '********';

const rangeSchema = z
  .string()
  .max(64)
  .refine(isRange, { params: { code: 'format' }, message: 'must be an address or a range such as 192.0.2.0/24' });

/** Who may see a page, as a client sets it: replaced as a whole. */
export const accessSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('public') }),
    z.object({
      type: z.literal('password'),
      password: z
        .string()
        .min(8)
        .max(200)
        .describe('Password that all visitors share; shown as ********, which leaves it as it is.'),
    }),
    z.object({ type: z.literal('link') }),
    z.object({ type: z.literal('members') }),
    z.object({
      type: z.literal('ip'),
      ranges: z
        .array(rangeSchema)
        .min(1)
        .max(100)
        .superRefine(refuseRepeats)
        .describe('Addresses and ranges (CIDR) that may see the page.'),
    }),
  ])
  .describe(
    'Who may see the page: everybody, whoever knows a password or opened a secret link, members, or some addresses.',
  );
export type AccessSettings = z.output<typeof accessSchema>;

/** As the API shows it. */
export const shownAccessSchema = z.object({
  type: z.enum(accessTypes),
  password: z.string().optional().describe('Always `********`: the password is not shown.'),
  ranges: z.array(z.string()).optional().describe('Addresses and ranges (CIDR) that may see the page.'),
  version: z.int().describe('Grows with each change: cookies, links and feed keys of earlier versions are void.'),
  changed_at: z.string().nullable().describe('Time of the last change; null if there was none.'),
  feed_url: z
    .string()
    .optional()
    .describe('URL of the RSS feed with its secret key, for feed readers; only with `status-pages:write`.'),
  url: z.string().optional().describe('The secret link that lets visitors in. Returned only when it is created.'),
});

function isRange(text: string): boolean {
  const [address = '', ...rest] = text.split('/');
  return isIP(address) !== 0 && !address.includes('%') && rest.length <= 1 && parseRange(text) !== null;
}
