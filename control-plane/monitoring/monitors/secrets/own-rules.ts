import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import { hiddenValue, hideBody, hideValues, revealBody, revealValues } from './header-rules.ts';
import type { MonitorSecrets } from './secrets.ts';

// What the object of a kind has that is sealed: a text that is sent, which is stored where HTTP has its body, and
// metadata, which is stored where it has its headers.

type OwnSecrets = Pick<MonitorSecrets, 'tcp' | 'websocket' | 'grpc'>;
const sending = ['tcp', 'websocket'] as const;

/** Headers and body in which secrets are stored, and in which agents get the metadata of a call. */
export function carriedSecrets({ headers, body, tcp, websocket, grpc }: MonitorSecrets): MonitorSecrets {
  return { headers: grpc?.metadata ?? headers, body: tcp?.send ?? websocket?.send ?? body };
}

/** The objects with the stored values instead of hidden ones, as far as there are any. */
export function revealOwn<Given extends OwnSecrets>(given: Given, stored: OwnSecrets): Given {
  const revealed = sending.flatMap(name => {
    const own = given[name];
    return own == null ? [] : [[name, { ...own, send: revealBody(own.send, stored[name]?.send ?? null) ?? null }]];
  });
  const { grpc } = given;
  if (grpc == null) return { ...given, ...Object.fromEntries(revealed) };
  const metadata = revealValues(grpc.metadata, stored.grpc?.metadata ?? {}).headers;
  return { ...given, grpc: { ...grpc, metadata } };
}

/** Pointers to hidden values without a stored one. */
export function missingOwn(given: Partial<OwnSecrets>, stored: OwnSecrets): string[] {
  const texts = sending.filter(name => given[name]?.send === hiddenValue && stored[name]?.send == null);
  const { missing } = revealValues(given.grpc?.metadata ?? {}, stored.grpc?.metadata ?? {});
  return [...texts.map(name => `/${name}/send`), ...missing.map(name => pointerTo(['grpc', 'metadata', name]))];
}

/** The object of a kind for a token that may not read what it sends. */
export function hideOwn<Own>(own: Own): Own {
  if (isSending(own)) return { ...own, send: hideBody(own.send) };
  return hasMetadata(own) ? { ...own, metadata: hideValues(own.metadata) } : own;
}

/** The object as it is stored: what it sends is sealed elsewhere. */
export function withoutSecrets(own: unknown): unknown {
  if (isSending(own)) return { ...own, send: null };
  return hasMetadata(own) ? { ...own, metadata: {} } : own;
}

/** The object of a row with what was sealed of it, and the headers that are left. */
export function withSecrets(
  own: unknown,
  { headers, body }: MonitorSecrets,
): { own: unknown; headers: MonitorSecrets['headers'] } {
  if (isSending(own)) return { own: { ...own, send: body }, headers };
  return hasMetadata(own) ? { own: { ...own, metadata: headers }, headers: {} } : { own, headers };
}

function isSending(own: unknown): own is { send: string | null } {
  return typeof own === 'object' && own !== null && 'send' in own;
}

function hasMetadata(own: unknown): own is { metadata: Record<string, string> } {
  return typeof own === 'object' && own !== null && 'metadata' in own;
}
