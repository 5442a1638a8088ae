import { createHmac } from 'node:crypto';
import type { Pepper } from '../secrets/pepper-store.ts';

/** A value that entries show as a keyed hash alone: one can see that it changed, and where it was used again. */
export class Sealed {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  /** Wherever it may get to, the value does not go along. */
  toJSON(): string {
    return '********';
  }
}

/** Marks a secret of a resource for the audit; null stays null. */
export function sealed(value: string): Sealed;
export function sealed(value: string | null): Sealed | null;
export function sealed(value: string | null): Sealed | null {
  return value === null ? null : new Sealed(value);
}

/** The keyed hash of a secret, which differs from project to project. */
export type HashSecret = (projectId: string | null, value: string) => Promise<string>;

const shownDigits = 8;

export function createSecretHash(pepper: Pepper): HashSecret {
  return async (projectId, value) => {
    const digest = createHmac('sha256', await pepper()).update(JSON.stringify(['audit', projectId, value]));
    return `secret:${digest.digest('hex').slice(0, shownDigits)}`;
  };
}

/**
 * The address without its query and fragment, which may hold secrets, and those as a secret beside it; the query of an
 * address that is no web address says what is asked, and stays.
 */
export function addressFields(url: string): { url: string; url_query?: Sealed } {
  const start = /^https?:/i.test(url) ? url.search(/[?#]/) : -1;
  return start === -1 ? { url } : { url: url.slice(0, start), url_query: sealed(url.slice(start)) };
}

/** The address of a webhook: its host, and the rest as a secret, since services put theirs into the path. */
export function hookFields(url: string): { url: string; url_rest: Sealed } {
  const { origin } = new URL(url);
  return { url: origin, url_rest: sealed(url.slice(origin.length)) };
}
