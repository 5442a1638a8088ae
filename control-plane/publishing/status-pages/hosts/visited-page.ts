import type { IncomingMessage } from 'node:http';

const visited = new WeakMap<IncomingMessage, string>();

/** Notes that the request came to the own domain of a page. */
export function noteOwnHost(request: IncomingMessage, pageId: string): void {
  visited.set(request, pageId);
}

/** The page whose own domain the request came to; null: it came to an address below PUBLIC_URL. */
export function pageOfOwnHost(request: IncomingMessage): string | null {
  return visited.get(request) ?? null;
}
