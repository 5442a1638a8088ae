import { tell } from './action.ts';
import { ApiProblem } from './api.ts';
import { type Content, type Description, element } from './element.ts';
import type { Freshness } from './follow.ts';
import { views } from './views.ts';

export type ShellOptions = {
  address: string;
  projectName: string;
  title: string;
  freshness: Freshness;
  announcement: string;
  readOnly: boolean;
  content: Content;
  leave(): void;
};

/** What stands around every view. */
export function shell(options: ShellOptions): Description[] {
  return [
    element('a', { class: 'skip', href: '#main', onclick: skipToMain }, 'Skip to content'),
    element(
      'header',
      { key: 'header', class: 'top' },
      element('a', { class: 'brand', href: '#/monitors' }, mark(), 'Upquorum'),
      navigation(options.address),
      element('span', { class: 'project', title: 'Project' }, options.projectName),
      options.readOnly && element('span', { class: 'tag', title: 'Your token may look but not change' }, 'read only'),
      element('button', { type: 'button', class: 'quiet', onclick: options.leave }, 'Sign out'),
    ),
    element('div', { key: 'stale', role: 'status' }, staleBanner(options.freshness)),
    element(
      'main',
      { key: 'main', id: 'main', tabindex: '-1' },
      element('h1', { key: `title ${options.address}`, tabindex: '-1' }, options.title),
      options.content,
    ),
    element('div', { key: 'live', class: 'unseen', role: 'status', 'aria-live': 'polite' }, options.announcement),
  ];
}

/** The address names the view, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function navigation(address: string): Description {
  const links = views.flatMap(({ pattern, navigation: word }) => {
    if (word === undefined) return [];
    const current = address === pattern || address.startsWith(`${pattern}/`) || address.startsWith(`${pattern}?`);
    return [element('a', { key: pattern, href: pattern, 'aria-current': current ? 'page' : null }, word)];
  });
  return element('nav', { 'aria-label': 'Views' }, links);
}

/** Old data is never shown as if it were of now. */
function staleBanner({ asOf, error }: Freshness): Content {
  if (error === null || asOf === null) return null;
  const clock = new Date(asOf).toTimeString().slice(0, 8);
  return element('p', { class: 'stale' }, `${whatHappened(error)}, showing data as of ${clock}`);
}

function whatHappened(error: Error): string {
  if (!(error instanceof ApiProblem)) return 'Connection lost';
  return error.status === 404 ? 'This does not exist any more' : tell(error).replace(/\.$/, '');
}

export function mark(): Description {
  const circle = (cx: number, cy: number, faint: boolean) =>
    element('circle', { cx, cy, r: 4, class: faint ? 'faint' : null });
  return element(
    'svg',
    { class: 'mark', viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    element('rect', { width: 32, height: 32, rx: 8 }),
    circle(16, 9, false),
    circle(9, 21, false),
    circle(23, 21, true),
  );
}
