/** Where passkeys are valid: the host that they belong to, and the one origin that may use them. */
export type PasskeyPlace = { rpId: string; origin: string };

/**
 * Null where browsers offer none: they want https and a name, or `http://localhost`. An address has no passkeys, and
 * plain http in a network of one's own has none either.
 */
export function passkeyPlace(baseUrl: string): PasskeyPlace | null {
  const { protocol, hostname, origin } = new URL(baseUrl);
  const isLocal = hostname === 'localhost';
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  return isLocal || (protocol === 'https:' && !isAddress) ? { rpId: hostname, origin } : null;
}
