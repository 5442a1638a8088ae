import type { Region } from '../../data/api-types.ts';
import { plural } from '../../data/plural.ts';
import { Shape } from '../../parts/badge.tsx';
import { presentation } from '../../parts/labels.ts';

/** Where checks run from, and whether an agent is online there. */
export function Regions({ regions }: { regions: readonly Region[] }) {
  return (
    <section class="card">
      <h2>Regions</h2>
      {regions.length === 0 && (
        <p class="hint">There are no regions yet. Create one with npm run admin -- region create.</p>
      )}
      <ul class="lines">
        {regions.map(({ code, name, agents_online, agents_total }) => {
          const { tone, glyph } = presentation('votes', agents_online > 0 ? 'up' : 'unknown');
          return (
            <li key={code}>
              <span class={`dot ${tone}`}>
                <Shape name={glyph} />
              </span>
              <span>{name === code ? code : `${name} (${code})`}</span>
              <span class="hint end">
                {agents_online} of {plural(agents_total, 'agent')} online
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
