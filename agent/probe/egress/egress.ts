import type { DialTls } from '../dial.ts';
import type { Trust } from '../trust.ts';

/** How the connections of a monitor's checks go out. Made by `egressOf` alone; kinds only pass it on. */
export type Egress = Readonly<{ trust: Trust }>;

/** How checks go out that have no settings for it. */
export function egressOf(trust: Trust): Egress {
  return { trust };
}

/** How a handshake with a host is made. */
export function tlsFor({ trust }: Egress, { host }: { host: string; port: number }): DialTls {
  return { name: host, trust };
}
