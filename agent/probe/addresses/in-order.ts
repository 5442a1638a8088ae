import { addressesMax } from '#shared/checks/addresses.ts';
import { compareAddresses } from '#shared/network/guard.ts';
import type { NetworkHealth } from '../network-health.ts';

/** Pure: the addresses that are reached, in the order of their bytes: those that this host has a route to. */
export function inOrder(addresses: readonly string[], health: Pick<NetworkHealth, 'hasRoute'>): string[] {
  return [...new Set(addresses)]
    .filter(address => isLoopback(address) || health.hasRoute(address))
    .sort(compareAddresses)
    .slice(0, addressesMax);
}

/** Every host reaches itself. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
