/** Links to the sections of a view, of which one is open. */
export function SectionLinks({ label, links }: { label: string; links: readonly SectionLink[] }) {
  const place = location.hash.split('?')[0] ?? '';
  // The section whose address is the longest that leads here.
  const current = links
    .filter(({ address }) => place === address || place.startsWith(`${address}/`))
    .sort((left, right) => right.address.length - left.address.length)[0];
  return (
    <nav class="sections" aria-label={label}>
      {links.map(({ address, name }) => (
        <a key={address} href={address} aria-current={address === current?.address ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export type SectionLink = { address: string; name: string };
