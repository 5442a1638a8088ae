import { timingSafeEqual } from 'node:crypto';
import { type AddressRange, isInRanges, parseRange } from '#shared/network/guard.ts';
import { hashBearer, isBearer } from '../../../platform/secrets/bearer.ts';
import type { Gate } from '../access/gate.ts';
import type { Visitor } from './page-cookie.ts';

/** What feed readers and pictures in other pages load: they have no cookies. */
const keyed = new Set(['feed.rss', 'feed.atom', 'summary.json', 'badge.svg']);

/** Parsed once, not for each visitor. */
const parsedRanges = new WeakMap<Gate, readonly AddressRange[]>();

/** What a request shows of itself. `rest`: the path below the page. */
export type Shown = { visitor: Visitor | null; key: string | null; address: string; rest: string };

/** Pure: whether a gate lets a request in. */
export function admits(gate: Gate, { visitor, key, address, rest }: Shown): boolean {
  switch (gate.type) {
    case 'public':
      return true;
    case 'ip':
      return isInRanges(address, rangesOf(gate));
    case 'password':
    case 'link':
      return visitor !== null || (key !== null && gate.key !== undefined && keyed.has(rest) && isSame(key, gate.key));
    case 'members':
      return visitor !== null && isMember(gate, visitor);
    default:
      return gate.type satisfies never;
  }
}

/** Whether a visitor is a member still, and was let in after joining and after signing out everywhere. */
function isMember({ people = {} }: Gate, { person = '', at }: Visitor): boolean {
  const since = Object.hasOwn(people, person) ? people[person] : undefined;
  return since !== undefined && at >= since;
}

/** Whether a text is the secret of the page's link. */
export function opensLink({ link }: Gate, secret: string): boolean {
  if (link === undefined || !isBearer('upv', secret)) return false;
  const [given, expected] = [hashBearer(secret), Buffer.from(link, 'hex')];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** In constant time: of hashes, which have one length. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(hashBearer(given), hashBearer(expected));
}

function rangesOf(gate: Gate): readonly AddressRange[] {
  const known = parsedRanges.get(gate);
  if (known !== undefined) return known;
  const ranges = gate.ranges.map(parseRange).filter(range => range !== null);
  parsedRanges.set(gate, ranges);
  return ranges;
}
