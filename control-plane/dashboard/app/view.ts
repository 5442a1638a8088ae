import type { Api } from './data/api.ts';
import type { Content } from './dom/element.ts';

/** What a view may use of the page around it. */
export type ViewContext = {
  api: Api;
  /** Whether the signed-in token has a scope. */
  can(scope: string): boolean;
  /** Renders again from memory. */
  redraw(): void;
  /** Loads again now. */
  refresh(): Promise<void>;
  /** Announces a change to screen readers. */
  announce(text: string): void;
  go(address: string): void;
};

export type Parameters = Readonly<Record<string, string>>;

/** An open view. It stores what it loaded; `render` only describes it and runs every second, so that ages advance. */
export type View = {
  title(): string;
  /** Time between loads, in milliseconds. */
  intervalMs(): number;
  /** Throws what the API throws; the page shows the error. */
  load(): Promise<void>;
  /** Called after the first successful load. */
  render(): Content;
};

/** A row of the table in `router.ts`: a new view is one file and its row. */
export type ViewDefinition = {
  /** For example `#/monitors/{id}`. */
  pattern: string;
  /** Its label in the navigation; without one it is not listed there. */
  navigation?: string;
  open(context: ViewContext, parameters: Parameters): View;
};
