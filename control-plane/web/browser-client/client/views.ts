import { type Props, page } from './page.ts';

/** Tracks this view of a page, and one more each time the path changes. Only the referrer's host: paths name people. */
export function watchPath(track: (props: Props) => void): void {
  const { addEventListener, document, history, location } = page;
  let path: string | undefined;
  const view = (): void => {
    if (path === location.pathname) return;
    path = location.pathname;
    track({ path, referrer: document.referrer.split('/')[2] });
  };
  view();
  addEventListener('popstate', view);
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name];
    history[name] = (...values) => {
      change.apply(history, values);
      view();
    };
  }
}
