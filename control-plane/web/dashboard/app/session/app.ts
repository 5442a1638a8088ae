import type { ReadonlySignal, Signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from './api.ts';
import type { LiveChanges } from './live.ts';
import type { Theme } from './preferences.ts';
import type { Session } from './session.ts';
import type { Zone } from './time.ts';

/** What every view may use of the page around it. */
export type App = {
  api: Api;
  session: Session;
  /** Whether the signed-in token has a scope. */
  can(scope: string): boolean;
  /** The server's time, each second while the page is visible. */
  now: ReadonlySignal<number>;
  zone: Signal<Zone>;
  theme: Signal<Theme>;
  /** How close together the rows of long tables are. */
  density: Signal<'normal' | 'compact'>;
  /** What changes on the server, as it happens. */
  live: LiveChanges;
  /** Announces a change to screen readers. */
  announce(text: string): void;
  go(address: string): void;
  /** The open page's title. */
  title: Signal<string>;
  /** Whether the heading of a page that opens takes the focus: not the first one's. */
  takesFocus(): boolean;
  /** Counts calls of `refreshAll`: what shows lists loads again when it changes. */
  refreshes: Signal<number>;
};

export const AppContext = createContext<App | null>(null);

/** The app around a component; throws outside of one. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === null) throw new Error('a view needs the app around it');
  return app;
}
