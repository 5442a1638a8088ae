import { page } from './page.ts';

/** Null if the page may not store. */
export function storageOf(name: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return page[name];
  } catch {
    return null;
  }
}

export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
