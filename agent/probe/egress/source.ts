import { isIPv6 } from 'node:net';

/** The addresses of this host that checks go out from; null for a family whose address the system chooses. */
export type SourceAddresses = Readonly<{ ipv4: string | null; ipv6: string | null }>;

/** From where an address is reached; undefined if the system chooses. */
export function sourceFor(address: string, source: SourceAddresses | undefined): string | undefined {
  return (isIPv6(address) ? source?.ipv6 : source?.ipv4) ?? undefined;
}
