import { releaseVerdictWords } from '../data/releases.ts';
import type { ReleaseComparison } from '../data/server/api-types.ts';
import { Badge } from './badge.tsx';
import type { Presentation } from './labels.ts';

const looks = {
  suspect: { tone: 'warn', glyph: 'triangle' },
  unlikely: { tone: 'good', glyph: 'check' },
  cannot_tell: { tone: 'unknown', glyph: 'question' },
} satisfies Record<ReleaseComparison['verdict'], Omit<Presentation, 'label'>>;

/** What is said of a release: never that it is the cause. */
export function ReleaseVerdict({ verdict }: { verdict: ReleaseComparison['verdict'] }) {
  return <Badge state={{ ...looks[verdict], label: releaseVerdictWords[verdict] }} />;
}
