import type { IpFamily, WireEgress } from '#shared/checks/egress.ts';
import type { DialTls } from '../dial.ts';
import type { Trust } from '../trust.ts';
import { trustOf } from './own-trust.ts';

/** How the connections of a monitor's checks go out. Made by `egressOf` alone; kinds only pass it on. */
export type Egress = Readonly<{
  family: IpFamily;
  verify: boolean;
  serverName: string | null;
  trust: Trust;
  /** That of the monitor's own target alone: it shows the client certificate. */
  ofTarget: { host: string; port: number; trust: Trust } | null;
}>;

/** How checks go out; without settings as usual. The client certificate is for one host and port. */
export function egressOf(trust: Trust, settings?: WireEgress, target?: { host: string; port: number }): Egress {
  const {
    ip_family: family = 'any',
    verify = true,
    server_name: serverName = null,
    ca,
    client_certificate: pair,
  } = settings ?? {};
  const own = ca === undefined ? trust : trustOf({ ca });
  const isShown = pair !== undefined && target !== undefined;
  return {
    family,
    verify,
    serverName,
    trust: own,
    ofTarget: isShown ? { ...target, trust: trustOf({ ca, pair }, trust.authorities) } : null,
  };
}

/** How a handshake with a host is made. */
export function tlsFor({ verify, serverName, trust, ofTarget }: Egress, { host, port }: Target): DialTls {
  const isTarget = ofTarget !== null && ofTarget.host === host && ofTarget.port === port;
  return { name: serverName ?? host, verify, trust: isTarget ? ofTarget.trust : trust };
}

type Target = { host: string; port: number };
