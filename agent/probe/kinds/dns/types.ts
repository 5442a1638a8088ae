/** The types of records whose data is known, and their numbers. */
const numbers = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  DS: 43,
  SSHFP: 44,
  DNSKEY: 48,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  CAA: 257,
} as const;

export type KnownType = keyof typeof numbers;

const names = new Map<number, KnownType>(Object.entries(numbers).map(([name, number]) => [number, name as KnownType]));

/** The number of a type that is written as its name or as `TYPE65`. */
export function typeNumber(text: string): number {
  return numbers[text as KnownType] ?? Number(text.replace(/^TYPE/, ''));
}

export function knownType(number: number): KnownType | null {
  return names.get(number) ?? null;
}

/** The name of a type, in the form of RFC 3597 if it is not known. */
export function typeText(number: number): string {
  return names.get(number) ?? `TYPE${number}`;
}

const rcodes: Record<number, string> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
};

export function rcodeText(number: number): string {
  return rcodes[number] ?? `RCODE${number}`;
}
