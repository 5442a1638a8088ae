import type { Addresses } from '#shared/network/resolver.ts';
import type { ProbeOutcome } from '../attempt.ts';
import { type Deadline, within } from '../deadline.ts';
import { DialError } from '../dial.ts';

/** Those at hand, or else those of the slower answer. Rejects with DialError if none is allowed, or DeadlineError. */
export async function someAddresses(
  { known, later }: Addresses,
  deadline: Deadline,
  outcome: Pick<ProbeOutcome, 'phase'>,
): Promise<readonly string[]> {
  const addresses = known.length > 0 || later === null ? known : await within(deadline, later);
  outcome.phase = 'connect';
  if (addresses.length === 0) throw new DialError('connect', 'EBLOCKED', null);
  return addresses;
}
