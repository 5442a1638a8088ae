import { Shape } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { plural } from '../../kit/plural.ts';
import type { Region } from '../../session/api-types.ts';

/** More agents of a region are only counted. */
const dotsMax = 6;

/** Where checks run from, with a dot for each agent there. */
export function Regions({ regions }: { regions: readonly Region[] }) {
  if (regions.length === 0)
    return <p class="hint">There are no regions yet. Create one with npm run admin -- region create.</p>;
  return (
    <nav aria-label="Regions and agents">
      <ul class="region-strip">
        {regions.map(({ code, name, agents_online, agents_total }) => {
          const [up, down] = [presentation('votes', 'up'), presentation('votes', 'down')];
          const tone =
            agents_total === 0 ? 'unknown' : agents_online === 0 ? 'bad' : agents_online < agents_total ? 'warn' : '';
          return (
            <li key={code}>
              <a class={`region-chip ${tone}`} href="#/regions">
                <strong>{name}</strong>
                <span class="agent-dots" aria-hidden="true">
                  {Array.from({ length: Math.min(dotsMax, agents_total) }, (_, index) => {
                    const { tone, glyph } = index < agents_online ? up : down;
                    return (
                      <span key={index} class={`dot ${tone}`}>
                        <Shape name={glyph} />
                      </span>
                    );
                  })}
                </span>
                <span class="hint">
                  {agents_total === 0 ? 'no agents' : `${agents_online} of ${plural(agents_total, 'agent')} online`}
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
