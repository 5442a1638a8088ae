import { z } from 'zod';

/** Addresses of a name that a round reaches at most, the first in the order of their bytes. */
export const addressesMax = 16;

const errorCode = z.string().regex(/^[a-z_]{1,32}$/);
const count = z.int().min(0).max(addressesMax);

/** What became of the addresses of a name the last time that all of them were reached. */
export const addressFactsSchema = z.object({
  at: z.iso.datetime().max(32).describe('Time when the agent began to reach them.'),
  total: count.describe('Addresses of the name, at most 16.'),
  answering: count.describe('Those of them that answered.'),
  list: z
    .array(
      z.object({
        address: z.string().max(45).describe('IP address.'),
        ok: z.boolean().describe('Whether it answered.'),
        error_code: errorCode.nullable().describe('Why it did not; null if it did.'),
        ms: z.number().min(0).max(600_000).nullable().describe('Milliseconds until it answered; null if it did not.'),
      }),
    )
    .max(addressesMax)
    .describe('One entry for each, in the order of their bytes.'),
});
export type AddressFacts = z.infer<typeof addressFactsSchema>;

export const partialAddressesSchema = z.object({
  answering: count.describe('Addresses that answered.'),
  total: count.describe('Addresses of the name, at most 16.'),
  failing: z
    .array(z.object({ address: z.string().describe('IP address.'), error_code: z.string().nullable() }))
    .describe('Addresses that did not answer.'),
});
export type PartialAddresses = z.infer<typeof partialAddressesSchema>;

/** Pure: what fails of a round; null if all answered, or without one. */
export function partialOf(facts: Pick<AddressFacts, 'list'> | null | undefined): PartialAddresses | null {
  const list = facts?.list ?? [];
  const failing = list.filter(({ ok }) => !ok).map(({ address, error_code }) => ({ address, error_code }));
  return failing.length === 0 ? null : { answering: list.length - failing.length, total: list.length, failing };
}
