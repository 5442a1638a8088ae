import { useEffect, useRef } from 'preact/hooks';
import { Icon, Mark } from '../kit/icon.tsx';
import { useApp } from '../session/app.ts';
import { isWithin } from '../session/match-address.ts';
import type { Preferences } from '../session/preferences.ts';
import type { Counts } from './counts.ts';
import { ProjectMenu } from './project-menu.tsx';
import { navigationFor } from './router.tsx';

type SidebarProps = {
  address: string;
  counts: Counts;
  preferences: Preferences;
  openPalette(): void;
  openHelp(): void;
  signOut(): void;
};

export function Sidebar({ address, counts, preferences, openPalette, openHelp, signOut }: SidebarProps) {
  const { can } = useApp();
  const nav = useRef<HTMLElement>(null);
  // On a phone the links scroll sideways: the one of this view must be seen.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [address]);
  const links = navigationFor(can);
  const countOf: Readonly<Record<string, number | null>> = {
    '#/monitors': counts.monitors,
    '#/alerts': counts.alerts,
    '#/incidents': counts.incidents,
  };
  return (
    <header class="side">
      <a class="brand" href={links[0]?.address ?? '#/monitors'}>
        <Mark />
        Upquorum
      </a>
      <button type="button" class="search-button" onClick={openPalette}>
        <Icon name="search" />
        <span>Search</span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav ref={nav} aria-label="Views">
        {links.map(({ pattern, address: target, label, icon }) => (
          <a key={pattern} href={target} aria-current={isWithin(pattern, address) ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{label}</span>
            <Count count={countOf[pattern] ?? null} />
          </a>
        ))}
      </nav>
      <ProjectMenu preferences={preferences} openHelp={openHelp} signOut={signOut} />
    </header>
  );
}

function Count({ count }: { count: number | null }) {
  if (count === null || count === 0) return null;
  return <span class="count">{count.toLocaleString('en')}</span>;
}
