/** Who uses the page: one global that the rating widget reads, and may set before this client does. */
export type Identity = { project_id: string; user: User; session_id: string };

export type Options = {
  /** Where events are sent; by default the host that the script came from. */
  endpoint?: string;
  /** Send and store nothing in browsers that ask not to be tracked. */
  respect_do_not_track?: boolean;
  /** Track an event `page` with the path and the host of the referrer, at the start and when the path changes. */
  pages?: boolean;
};

export type Props = Record<string, unknown>;

/** Who uses the page. Ids that are numbers are sent as text. */
export type User = { external_id?: string | number | null | undefined };

/** What `window.flows` offers to the page. */
export type Flows = {
  init(projectId: string, user?: User | null, options?: Options | null): void;
  track(name: string, props?: Props): void;
  /** From now on the page is this user's; what is known of them is stored as an event. */
  identify(externalId: string | number, traits?: Props): void;
  /** From now on the page is nobody's, in a session of its own: after a sign-out. */
  reset(): void;
  /** Sends what is queued at once. */
  flush(): void;
};

/** Says on the console what went wrong, the first time for each kind. */
export type Warn = (kind: string, detail: unknown) => void;

/** A call with its time: `[Date.now(), 'track', 'signed up']`. Older pages leave the time out. */
export type StubCall = [number, keyof Flows, ...unknown[]] | [keyof Flows, ...unknown[]];

/** What a page may put in place of the client until it is loaded: calls are queued in `q`. */
type Stub = { q?: StubCall[] };

export type Page = Window & {
  flows?: Flows & Stub;
  upquorumIdentity?: Identity;
  readonly navigator: { readonly doNotTrack: string | null; readonly globalPrivacyControl?: boolean };
};

/** The page that loaded the script. */
export const page: Page = window;
