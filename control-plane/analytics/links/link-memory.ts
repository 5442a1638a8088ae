import { RecentMap } from '../../platform/recent-map.ts';
import type { Link } from './link.ts';

/** Up to 25 MB. */
const max = { entries: 50_000, characters: 5_000_000 };

/**
 * Links that are stored, in epochs of their projects: most events name a session and a user of which another has just
 * said the same.
 */
export class LinkMemory {
  readonly #earliest = new RecentMap<number>(max);

  /** Whether an earlier event has made this link. */
  knows(epoch: string, link: Link): boolean {
    const at = this.#earliest.get(keyOf(epoch, link));
    return at !== undefined && at < link.timestamp;
  }

  /** Of a stored link: it is as early as this, or earlier. */
  remember(epoch: string, link: Link): void {
    const key = keyOf(epoch, link);
    this.#earliest.set(key, Math.min(link.timestamp, this.#earliest.get(key) ?? link.timestamp));
  }
}

function keyOf(epoch: string, { projectId, sessionActor, actor }: Link): string {
  return `${projectId} ${epoch} ${sessionActor} ${actor}`;
}
