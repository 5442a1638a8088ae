import { ApiProblem } from './data/api.ts';
import type { Freshness } from './data/poll.ts';
import { describeError } from './dom/action.ts';
import { type Content, type Description, element } from './dom/element.ts';
import { isWithin } from './match-address.ts';
import { mark } from './parts/mark.ts';

type ShellOptions = {
  address: string;
  navigation: readonly { address: string; label: string }[];
  projectName: string;
  title: string;
  freshness: Freshness;
  announcement: string;
  readOnly: boolean;
  content: Content;
  signOut(): void;
};

/** The frame around every view: navigation, banner, heading and announcements. */
export function shell(options: ShellOptions): Description[] {
  return [
    element('a', { class: 'skip', href: '#main', onclick: skipToMain }, 'Skip to content'),
    header(options),
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

function header({ address, navigation, projectName, readOnly, signOut }: ShellOptions): Description {
  const links = navigation.map(entry => {
    const current = isWithin(entry.address, address) ? 'page' : null;
    return element('a', { key: entry.address, href: entry.address, 'aria-current': current }, entry.label);
  });
  return element(
    'header',
    { key: 'header', class: 'top' },
    element('a', { class: 'brand', href: '#/monitors' }, mark(), 'Upquorum'),
    element('nav', { 'aria-label': 'Views' }, links),
    element('span', { class: 'project', title: 'Project' }, projectName),
    readOnly && element('span', { class: 'tag', title: 'This token is read-only' }, 'read-only'),
    element('button', { type: 'button', class: 'quiet', onclick: signOut }, 'Sign out'),
  );
}

/** The fragment names the view, so the link must not change it. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** Old data is never shown as if it were current. */
function staleBanner({ asOf, error }: Freshness): Content {
  if (error === null || asOf === null) return null;
  const clock = new Date(asOf).toTimeString().slice(0, 8);
  return element('p', { class: 'stale' }, `${describeLoss(error)} Showing data as of ${clock}.`);
}

function describeLoss(error: Error): string {
  if (!(error instanceof ApiProblem)) return 'Connection lost.';
  return error.status === 404 ? 'This no longer exists.' : describeError(error);
}
