import { Badge } from '../../kit/badge.tsx';
import type { LabelledPresentation } from '../../kit/labels.ts';
import type { TimelineItem } from '../../session/api-types.ts';

const types = {
  track: { tone: 'quiet', glyph: 'ring', label: 'Track' },
  error: { tone: 'bad', glyph: 'cross', label: 'Error' },
  identify: { tone: 'quiet', glyph: 'ring', label: 'Identify' },
  release: { tone: 'info', glyph: 'bars', label: 'Release' },
} satisfies Record<TimelineItem['type'], LabelledPresentation>;

/** Shape, colour and word of an event's type. */
export function EventType({ type }: { type: TimelineItem['type'] }) {
  return <Badge state={types[type]} />;
}
