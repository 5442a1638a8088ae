import { signal } from '@preact/signals';

/** A filter of the monitors, as the query of their address. */
export type SavedFilter = { label: string; query: string };

const key = 'upquorum monitor filters';
const savedMax = 12;

/** The filters that were saved in this browser, the oldest first. */
export const savedFilters = signal<readonly SavedFilter[]>(readSaved(globalThis.localStorage));

export function saveFilter(filter: SavedFilter): void {
  store([...savedFilters.value.filter(({ query }) => query !== filter.query), filter].slice(-savedMax));
}

export function forgetFilter(query: string): void {
  store(savedFilters.value.filter(saved => saved.query !== query));
}

function store(filters: readonly SavedFilter[]): void {
  savedFilters.value = filters;
  try {
    localStorage.setItem(key, JSON.stringify(filters));
  } catch {
    // Browsers may forbid storage: then they last as long as the page.
  }
}

function readSaved(storage: Pick<Storage, 'getItem'> | undefined): SavedFilter[] {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isFilter).slice(-savedMax) : [];
  } catch {
    return [];
  }
}

function isFilter(value: unknown): value is SavedFilter {
  return typeof Object(value).label === 'string' && typeof Object(value).query === 'string';
}
