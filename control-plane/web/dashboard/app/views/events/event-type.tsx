import type { TimelineItem } from '../../data/server/api-types.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Presentation } from '../../parts/labels.ts';

const types = {
  track: { tone: 'quiet', glyph: 'ring', label: 'Track' },
  error: { tone: 'bad', glyph: 'cross', label: 'Error' },
  release: { tone: 'info', glyph: 'bars', label: 'Release' },
} satisfies Record<TimelineItem['type'], Presentation>;

/** Shape, colour and word of an event's type. */
export function EventType({ type }: { type: TimelineItem['type'] }) {
  return <Badge state={types[type]} />;
}
