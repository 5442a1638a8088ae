import type { MonitorSecrets } from './secrets.ts';

// What the object of a kind has that is sealed: a text that is sent, which is stored where HTTP has its body, and
// metadata, which is stored where it has its headers, and aliases, which are stored as one text.

/** Headers and body in which secrets are stored, and in which agents get the metadata of a call. */
export function carriedSecrets({ headers, body, tcp, websocket, grpc, heartbeat }: MonitorSecrets): MonitorSecrets {
  if (heartbeat != null) return { headers, body: heartbeat.aliases.length === 0 ? null : heartbeat.aliases.join(' ') };
  return { headers: grpc?.metadata ?? headers, body: tcp?.send ?? websocket?.send ?? body };
}

/** The object as it is stored: what it sends is sealed elsewhere. */
export function withoutSecrets(own: unknown): unknown {
  if (isSending(own)) return { ...own, send: null };
  if (hasAliases(own)) return { ...own, aliases: [] };
  return hasMetadata(own) ? { ...own, metadata: {} } : own;
}

/** The object of a row with what was sealed of it, and the headers that are left. */
export function withSecrets(
  own: unknown,
  { headers, body }: MonitorSecrets,
): { own: unknown; headers: MonitorSecrets['headers'] } {
  if (isSending(own)) return { own: { ...own, send: body }, headers };
  if (hasAliases(own)) return { own: { ...own, aliases: body?.split(' ') ?? [] }, headers };
  return hasMetadata(own) ? { own: { ...own, metadata: headers }, headers: {} } : { own, headers };
}

function isSending(own: unknown): own is { send: string | null } {
  return typeof own === 'object' && own !== null && 'send' in own;
}

function hasAliases(own: unknown): own is { aliases: string[] } {
  return typeof own === 'object' && own !== null && 'aliases' in own;
}

function hasMetadata(own: unknown): own is { metadata: Record<string, string> } {
  return typeof own === 'object' && own !== null && 'metadata' in own;
}
