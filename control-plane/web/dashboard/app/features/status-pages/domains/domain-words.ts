import type { LabelledPresentation } from '../../../kit/labels.ts';
import type { PageDomain } from '../../../session/api-types.ts';

type State = PageDomain['state'];

export const domainStates: Readonly<Record<State, LabelledPresentation>> = {
  pending: { tone: 'quiet', glyph: 'ring', label: 'Not proven yet' },
  verified: { tone: 'good', glyph: 'check', label: 'Verified' },
  failing: { tone: 'warn', glyph: 'triangle', label: 'Record missing' },
  lost: { tone: 'bad', glyph: 'cross', label: 'Lost' },
};

/** Whether the page is served at a domain in this state, or leads from there to where it is. */
export function isServed(state: State): boolean {
  return state === 'verified' || state === 'failing';
}

/** What visitors of the domain see. */
export function consequenceOf(state: State, isCanonical: boolean): string {
  if (!isServed(state)) return 'Visitors find nothing there.';
  const shown = isCanonical ? 'The page is shown there.' : 'It leads visitors to the address of the page.';
  return state === 'failing' ? `${shown} That ends when its record stays away for three days.` : shown;
}

/** A hint alone: a domain may lead here by a CDN or another name. */
export function pointsHereText({ points_here }: Pick<PageDomain, 'points_here'>): string {
  const how = 'Where the domain has to lead: by CNAME or, at the top of a zone, by the addresses of this name.';
  if (points_here === null) return how;
  return points_here ? `${how} It does.` : `${how} At the last look it did not, or it leads here by a proxy.`;
}
