import { render } from 'preact';
import { Dashboard } from './dashboard.tsx';
import { Screen } from './features/walls/screen.tsx';
import { guardElements } from './guard.ts';
import { later } from './kit/later.tsx';
import { confirmedQuery } from './session/confirmation.ts';
import { openPreferences } from './session/preferences.ts';
import { EnterPage } from './shell/enter-page.tsx';

const waysIn = () => import('./shell/more-ways-in.ts');
const Confirmed = later(waysIn, views => views.Confirmed);
const Join = later(waysIn, views => views.Join);

guardElements();
// What programs may link to: `/me/tokens?new=NAME&scopes=…`.
if (location.pathname === '/me/tokens') history.replaceState(null, '', `/#/me/tokens${location.search}`);
const host = document.getElementById('dashboard');
if (host !== null && location.pathname === '/wall') {
  // Walls are dark unless the link says otherwise: they shine all day.
  document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'dark';
  render(<Screen />, host);
} else if (host !== null && location.pathname === '/join') {
  openPreferences();
  render(<Join />, host);
} else if (host !== null && location.pathname.startsWith('/auth/page/')) {
  openPreferences();
  render(<EnterPage />, host);
} else if (host !== null && location.search === confirmedQuery) {
  openPreferences();
  render(<Confirmed />, host);
} else if (host !== null) render(<Dashboard preferences={openPreferences()} />, host);
