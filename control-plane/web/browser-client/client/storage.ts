import { page } from './page.ts';

/** Null if the page may not store. Some browsers and extensions refuse each call instead of the whole storage. */
export function openStorage(): Storage | null {
  try {
    page.localStorage.getItem('flows');
    return page.localStorage;
  } catch {
    return null;
  }
}

/** One per tab, until the tab is closed or a new one is begun; one per page if it cannot be stored. */
export function sessionId(anew?: boolean): string {
  const key = 'flows:session';
  let id = randomId();
  try {
    if (!anew) id = page.sessionStorage.getItem(key) ?? id;
    page.sessionStorage.setItem(key, id);
  } catch {
    // The storage is blocked or full.
  }
  return id;
}

export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
