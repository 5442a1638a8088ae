// What the client uses of a browser. The program is checked with Node's types, which know nothing of pages.

export type Store = {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
};

/** Who uses the page: one global that the rating widget reads and may set before us. */
export type Identity = { project_id: string; user: { external_id?: string }; session_id: string };

export type Options = {
  /** Where events go; by default to the host the script came from. */
  endpoint?: string;
  /** Send nothing from browsers that ask not to be tracked. */
  respect_do_not_track?: boolean;
};

export type Flows = {
  init(projectId: string, user?: { external_id?: string }, options?: Options): void;
  track(name: string, props?: Record<string, unknown>): void;
  /** Sends what waits without waiting any longer. */
  flush(): void;
};

/** What a page may put in the place of the client until it is loaded: calls wait in `q`. */
type Stub = { q?: [keyof Flows, ...unknown[]][] };

export type Page = {
  flows?: Flows & Stub;
  upquorumIdentity?: Identity;
  localStorage: Store;
  sessionStorage: Store;
  navigator: { doNotTrack?: string | null; globalPrivacyControl?: boolean };
  document: {
    currentScript: { src: string } | null;
    visibilityState: string;
    addEventListener(type: string, listener: () => void): void;
  };
  addEventListener(type: string, listener: () => void): void;
  dispatchEvent(event: Event): boolean;
};

export const page = globalThis as unknown as Page;
