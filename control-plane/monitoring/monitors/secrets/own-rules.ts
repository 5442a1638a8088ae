import { hiddenValue, hideBody, revealBody } from './header-rules.ts';
import type { MonitorSecrets } from './secrets.ts';

// What the object of a kind has that is sealed: a text that is sent, which is stored where HTTP has its body.

type OwnSecrets = Pick<MonitorSecrets, 'tcp' | 'websocket'>;
const sending = ['tcp', 'websocket'] as const;

/** The text that a check of another kind than HTTP sends; null if it sends none. */
export function sentTextOf({ tcp, websocket }: OwnSecrets): string | null {
  return tcp?.send ?? websocket?.send ?? null;
}

/** The objects with the stored texts instead of hidden ones, as far as there are any. */
export function revealOwn<Given extends OwnSecrets>(given: Given, stored: OwnSecrets): Given {
  const revealed = sending.flatMap(name => {
    const own = given[name];
    return own == null ? [] : [[name, { ...own, send: revealBody(own.send, stored[name]?.send ?? null) ?? null }]];
  });
  return { ...given, ...Object.fromEntries(revealed) };
}

/** Pointers to hidden texts without a stored one. */
export function missingOwn(given: Partial<OwnSecrets>, stored: OwnSecrets): string[] {
  return sending.flatMap(name =>
    given[name]?.send === hiddenValue && stored[name]?.send == null ? [`/${name}/send`] : [],
  );
}

/** The object of a kind for a token that may not read what it sends. */
export function hideOwn<Own>(own: Own): Own {
  return isSending(own) ? { ...own, send: hideBody(own.send) } : own;
}

/** The object as it is stored: what it sends is sealed elsewhere. */
export function withoutSecrets(own: unknown): unknown {
  return isSending(own) ? { ...own, send: null } : own;
}

/** The object of a row with what was sealed of it. */
export function withSecrets(own: unknown, { body }: MonitorSecrets): unknown {
  return isSending(own) ? { ...own, send: body } : own;
}

function isSending(own: unknown): own is { send: string | null } {
  return typeof own === 'object' && own !== null && 'send' in own;
}
