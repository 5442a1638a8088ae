import type { FieldError } from '../../../platform/http/problem.ts';
import { isReference, referencesIn } from '../secrets/references.ts';
import type { EgressSettings } from './egress.ts';
import { pairFault } from './pem.ts';
import { usernameFault } from './proxy.ts';

/** What a kind takes of egress: all, what fits several steps, the family of addresses alone, or nothing. */
export type EgressUse = 'whole' | 'steps' | 'family' | 'none';

/** What is about one host. */
const ofOneHost: readonly string[] = ['addresses', 'server_name'];

const defaults = {
  addresses: 'first',
  verify: true,
  server_name: null,
  ca: null,
  client_certificate: null,
  proxy: null,
} as const;

/** Pure: what of an egress the kind does not take, and what of it does not fit together. */
export function egressErrors(egress: EgressSettings | null | undefined, use: EgressUse, kind: string): FieldError[] {
  if (egress == null) return [];
  const refuse = (pointer: string): FieldError => ({
    pointer,
    code: 'not_allowed',
    detail: `is not of monitors of kind ${kind}`,
  });
  if (use === 'none') return [refuse('/egress')];
  const refused = Object.entries(defaults).flatMap(([name, value]) =>
    use === 'whole' || (use === 'steps' && !ofOneHost.includes(name)) || egress[name as keyof typeof defaults] === value
      ? []
      : [refuse(`/egress/${name}`)],
  );
  return use === 'family' ? refused : [...refused, ...pairErrors(egress), ...proxyErrors(egress)];
}

/** A key that is a secret is looked at once its value is known. One that is made of several would say what fits. */
function pairErrors({ client_certificate: pair }: EgressSettings): FieldError[] {
  if (pair === null || isReference(pair.private_key)) return [];
  const pointer = '/egress/client_certificate/private_key';
  if (referencesIn(pair.private_key).names.length > 0)
    return [{ pointer, code: 'not_allowed', detail: 'must be a key, or one reference to a secret and nothing else' }];
  const fault = pairFault(pair);
  return fault === null ? [] : [{ pointer, code: 'format', detail: fault }];
}

function proxyErrors({ proxy, addresses }: EgressSettings): FieldError[] {
  if (proxy !== null && addresses === 'each')
    return [
      { pointer: '/egress/addresses', code: 'not_allowed', detail: 'must be `first`: the proxy resolves the name' },
    ];
  const fault = proxy === null ? null : usernameFault(proxy.url, proxy.username ?? '');
  return fault === null ? [] : [{ pointer: '/egress/proxy/username', code: 'format', detail: fault }];
}
