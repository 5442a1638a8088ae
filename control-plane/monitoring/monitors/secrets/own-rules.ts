import type { MultistepSettings } from '../kinds/steps.ts';
import type { MonitorSecrets } from './secrets.ts';
import { secretTextOf, stepAuthTextOf, withoutStepSecrets, withStepSecrets } from './step-secrets.ts';

// What the object of a kind has that is sealed: a text that is sent, those of all steps as one, which are stored where
// HTTP has its body, metadata, which is stored where it has its headers, and aliases, which are stored as one text.

/** Headers and body in which secrets are stored, and in which agents get the metadata of a call. */
export function carriedSecrets(secrets: MonitorSecrets): MonitorSecrets {
  const { headers, body, tcp, websocket, grpc, heartbeat, multistep } = secrets;
  if (heartbeat != null) return { headers, body: heartbeat.aliases.length === 0 ? null : heartbeat.aliases.join(' ') };
  const text = multistep == null ? (tcp?.send ?? websocket?.send) : secretTextOf(multistep);
  const stepAuth = multistep == null ? null : stepAuthTextOf(multistep);
  return { headers: grpc?.metadata ?? headers, body: text ?? body, stepAuth };
}

/** The object as it is stored: what it sends is sealed elsewhere. */
export function withoutSecrets(own: unknown): unknown {
  if (hasSteps(own)) return withoutStepSecrets(own);
  if (isSending(own)) return { ...own, send: null };
  if (hasAliases(own)) return { ...own, aliases: [] };
  return hasMetadata(own) ? { ...own, metadata: {} } : own;
}

/** The object of a row with what was sealed of it, and the headers that are left. */
export function withSecrets(
  own: unknown,
  { headers, body, stepAuth = null }: MonitorSecrets,
): { own: unknown; headers: MonitorSecrets['headers'] } {
  if (hasSteps(own)) return { own: withStepSecrets(own, body, stepAuth), headers };
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

function hasSteps(own: unknown): own is MultistepSettings {
  return typeof own === 'object' && own !== null && 'steps' in own;
}
