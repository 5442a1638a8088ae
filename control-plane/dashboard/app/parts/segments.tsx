type SegmentsProps = {
  label: string;
  tabs: readonly (readonly [address: string, label: string])[];
  current: string;
};

/** Links between views of one place. */
export function Segments({ label, tabs, current }: SegmentsProps) {
  return (
    <nav class="segments" aria-label={label}>
      {tabs.map(([address, name]) => (
        <a key={address} href={address} aria-current={address === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
