import { useEffect, useRef } from 'preact/hooks';

export type SectionLink = { address: string; name: string };
type SectionLinksProps = {
  label: string;
  links: readonly SectionLink[];
  /** The open section; by default the one that the page's address leads to. */
  current?: string | undefined;
};

/** Links to the sections of a view, of which one is open. */
export function SectionLinks({ label, links, current = sectionOf(links) }: SectionLinksProps) {
  const host = useRef<HTMLElement>(null);
  // On a phone the open one may be far to the right.
  useEffect(() => host.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current]);
  return (
    <nav ref={host} class="sections" aria-label={label}>
      {links.map(({ address, name }) => (
        <a key={address} href={address} aria-current={address === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** The section whose address is the longest that leads here. */
function sectionOf(links: readonly SectionLink[]): string | undefined {
  const place = location.hash.split('?')[0] ?? '';
  return links
    .map(({ address }) => address)
    .filter(address => place === address || place.startsWith(`${address}/`))
    .sort((left, right) => right.length - left.length)[0];
}
