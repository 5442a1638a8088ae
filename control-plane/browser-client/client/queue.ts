import { page, type Store } from './page.ts';

/** An event on its way: its JSON, when it happened, and whether a request carries it now. */
export type Item = { json: string; at: number; bytes: number; sent: boolean };

const itemsMax = 500;
const dayMs = 86_400_000;
/** A page that did not touch its queue for so long is gone: it would have tried again meanwhile. */
const orphanMs = 90_000;

/** Pages may be forbidden to store, and stores may be full: then memory has to do. */
export function storeOf(name: 'localStorage' | 'sessionStorage'): Store | null {
  try {
    const store = page[name];
    const probe = 'flows:probe';
    store.setItem(probe, probe);
    store.removeItem(probe);
    return store;
  } catch {
    return null;
  }
}

export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
}

export function toItem(json: string, at: number): Item {
  return { json, at, bytes: new TextEncoder().encode(json).length, sent: false };
}

/**
 * Events until the server has them, here and in localStorage, under a key of this page alone, so that two tabs never
 * overwrite each other. What a closed page left is taken over; should two pages take it, the server stores it once.
 */
export function createQueue(store: Store | null, prefix: string) {
  const own = prefix + randomId();
  let items: Item[] = [];

  const save = (closing = false): void => {
    try {
      if (items.length === 0) store?.removeItem(own);
      else store?.setItem(own, JSON.stringify([closing ? 0 : Date.now(), items.map(item => [item.at, item.json])]));
    } catch {
      // It is full: what waits is in memory still.
    }
  };
  const add = (more: readonly Item[]): void => {
    const freshMs = Date.now() - dayMs;
    items = [...items, ...more].filter(item => item.at > freshMs).slice(-itemsMax);
    save();
  };
  return {
    add,
    save,
    waiting: () => items.filter(item => !item.sent),
    isBusy: () => items.some(item => item.sent),
    remove: (done: readonly Item[]): void => {
      items = items.filter(item => !done.includes(item));
      save();
    },
    adopt: (): void => {
      for (let place = (store?.length ?? 0) - 1; place >= 0; place--) {
        const key = store?.key(place) ?? '';
        if (!key.startsWith(prefix) || key === own) continue;
        try {
          const [touched, left] = JSON.parse(store?.getItem(key) ?? '') as [number, [number, string][]];
          if (touched > Date.now() - orphanMs) continue;
          add(left.map(([at, json]) => toItem(json, at)));
        } catch {
          // Not ours, or damaged.
        }
        store?.removeItem(key);
      }
    },
  };
}
