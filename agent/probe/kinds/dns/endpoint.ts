import { isIP } from 'node:net';

/** A name server: an address and a port. */
export type Endpoint = Readonly<{ address: string; port: number }>;

const defaultPort = 53;

/** Reads `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`; null if it is none of these. */
export function parseEndpoint(text: string): Endpoint | null {
  const [, inBrackets, plain, digits] = /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = inBrackets ?? plain ?? text;
  const port = digits === undefined ? defaultPort : Number(digits);
  return isIP(address) === 0 || port < 1 || port > 65_535 ? null : { address, port };
}
