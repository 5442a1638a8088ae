import type { IpFamily, WireEgress } from '#shared/checks/egress.ts';
import type { AddressTurn } from '../addresses/address-turn.ts';
import type { DialTls } from '../dial.ts';
import type { ProxyServer } from '../proxy/proxy.ts';
import type { Trust } from '../trust.ts';
import { trustOf } from './own-trust.ts';

/** How the connections of a monitor's checks go out. Made by `egressOf` alone; kinds only pass it on. */
export type Egress = Readonly<{
  family: IpFamily;
  verify: boolean;
  /** Asked for instead of the name of the monitor's own host. */
  serverName: string | null;
  trust: Trust;
  target: Target | null;
  /** For the monitor's own target alone: with the client certificate. */
  ofTarget: Trust | null;
  /** Through which connections go; null for none. */
  proxy: ProxyServer | null;
  /** Which address of the target's host they go to; null for any. */
  turn: AddressTurn | null;
}>;

/** Settings stay the same object from check to check: what they trust is looked up once. */
const trusts = new WeakMap<WireEgress, { usual: Trust; ofTarget: Trust | null }>();

/** How checks go out; without settings as usual. The client certificate and the server name are for one host. */
export function egressOf(
  trust: Trust,
  settings?: WireEgress,
  target: Target | null = null,
  turn: AddressTurn | null = null,
): Egress {
  const { ip_family: family = 'any', verify = true, server_name: serverName = null, proxy = null } = settings ?? {};
  const { usual, ofTarget } = settings === undefined ? { usual: trust, ofTarget: null } : trustsOf(settings, trust);
  return { family, verify, serverName, trust: usual, target, ofTarget: target === null ? null : ofTarget, proxy, turn };
}

function trustsOf(settings: WireEgress, trust: Trust): { usual: Trust; ofTarget: Trust | null } {
  const known = trusts.get(settings);
  if (known !== undefined) return known;
  const { ca, client_certificate: pair } = settings;
  const found = {
    usual: ca === undefined ? trust : trustOf({ ca }),
    ofTarget: pair === undefined ? null : trustOf({ ca, pair }, trust.authorities),
  };
  trusts.set(settings, found);
  return found;
}

/** How a handshake with a host is made. */
export function tlsFor({ verify, serverName, trust, target, ofTarget }: Egress, { host, port }: Target): DialTls {
  const isOwnHost = target !== null && target.host === host;
  const shows = isOwnHost && target.port === port && ofTarget !== null;
  return { name: isOwnHost ? (serverName ?? host) : host, verify, trust: shows ? ofTarget : trust };
}

type Target = { host: string; port: number };
