import type { Monitor } from '../../../../session/api-types.ts';
import type { Kind } from '../kind-draft.ts';

/** The version of HTTP, while it is edited. */
export type HttpVersionDraft = { httpVersion: string };

export const usualHttpVersion: HttpVersionDraft = { httpVersion: '1.1' };

export function draftOfHttpVersion({ http_version }: Pick<Monitor, 'http_version'>): HttpVersionDraft {
  return http_version == null ? usualHttpVersion : { httpVersion: http_version };
}

export function takesHttpVersion(kind: Kind): boolean {
  return kind === 'http' || kind === 'multistep';
}

/** The member `http_version` of a body. */
export function httpVersionBody({ httpVersion }: HttpVersionDraft, kind: Kind): string | null {
  return takesHttpVersion(kind) ? httpVersion : null;
}
