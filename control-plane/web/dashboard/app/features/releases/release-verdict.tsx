import { Badge } from '../../kit/badge.tsx';
import type { LabelledPresentation } from '../../kit/labels.ts';
import type { ReleaseComparison } from '../../session/api-types.ts';
import { releaseVerdictWords } from './words.ts';

const looks = {
  suspect: { tone: 'warn', glyph: 'triangle' },
  unlikely: { tone: 'good', glyph: 'check' },
  cannot_tell: { tone: 'unknown', glyph: 'question' },
} satisfies Record<ReleaseComparison['verdict'], Omit<LabelledPresentation, 'label'>>;

/** What is said of a release: never that it is the cause. */
export function ReleaseVerdict({ verdict }: { verdict: ReleaseComparison['verdict'] }) {
  return <Badge state={{ ...looks[verdict], label: releaseVerdictWords[verdict] }} />;
}
