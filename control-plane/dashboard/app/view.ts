import type { Api } from './api.ts';
import type { Content } from './element.ts';

/** What a view may use of the page around it. */
export type Place = {
  api: Api;
  /** Whether the signed-in token has a scope. */
  can(scope: string): boolean;
  /** Draws again what is in memory. */
  redraw(): void;
  /** Loads again now. */
  refresh(): Promise<void>;
  /** Tells a change to those who do not see it. */
  announce(text: string): void;
  go(address: string): void;
};

/** One open view. It keeps what it loaded; `render` only describes it, and runs every second so that ages tick. */
export type View = {
  title(): string;
  everyMs(): number;
  load(): Promise<void>;
  render(): Content;
  close?(): void;
};

/** A row of the table in `views.ts`: a view is added by one file and its row. */
export type ViewDefinition = {
  /** Such as `#/monitors/{id}`. */
  pattern: string;
  /** Its word in the navigation, if it stands there. */
  navigation?: string;
  open(place: Place, parameters: Readonly<Record<string, string>>): View;
};
