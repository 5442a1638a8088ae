/** An event that may say whose its session is: if it has a `sessionActor`. */
export type LinkingEvent = {
  projectId: string;
  id: string;
  actor: number | null;
  externalUserId: string | null;
  sessionId: string | null;
  sessionActor?: number;
  timestamp: number;
};

/** An event by which a session names a user. */
export type Link = LinkingEvent & { actor: number; externalUserId: string; sessionId: string; sessionActor: number };

/** The earliest event of each session and user. */
export function linksOf(events: readonly LinkingEvent[]): Link[] {
  const least = new Map<string, Link>();
  for (const event of events) {
    if (!isLink(event)) continue;
    const key = `${event.projectId} ${event.sessionActor} ${event.actor}`;
    const known = least.get(key);
    if (known === undefined || isBefore(event, known)) least.set(key, event);
  }
  return [...least.values()];
}

function isLink(event: LinkingEvent): event is Link {
  return event.sessionActor !== undefined && event.actor !== null;
}

function isBefore(left: LinkingEvent, right: LinkingEvent): boolean {
  return left.timestamp < right.timestamp || (left.timestamp === right.timestamp && left.id < right.id);
}
