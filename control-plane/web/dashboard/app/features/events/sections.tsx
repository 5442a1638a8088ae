import { SectionLinks } from '../../kit/section-links.tsx';
import { useApp } from '../../session/app.ts';
import { matchAddress } from '../../session/match-address.ts';

/** The sections of this view and the scope of each, also of what is below it. */
export const eventSections = [
  { address: '#/events', name: 'Live', scope: 'events:read' },
  { address: '#/events/explore', name: 'Explore', scope: 'events:read' },
  { address: '#/events/reports', name: 'Reports', scope: 'flows:read' },
  { address: '#/events/user', name: 'User timeline', scope: 'events:read' },
  { address: '#/events/flows', name: 'Flows', scope: 'flows:read' },
  { address: '#/events/releases', name: 'Releases', scope: 'releases:read' },
];

/** The sections of this view that the token may see. */
export function EventSections() {
  const { can } = useApp();
  const links = eventSections.filter(({ scope }) => can(scope));
  // Whoever may not see live events finds the first of the others at this address.
  const current = matchAddress('#/events', location.hash) === null ? undefined : links[0]?.address;
  return <SectionLinks label="Events" links={links} current={current} />;
}

/** The way back from one of these views: to the first that the session may see. */
export function useEventsCrumb(): { label: string; address: string } {
  const { can } = useApp();
  return { label: 'Events', address: eventSections.find(({ scope }) => can(scope))?.address ?? '#/events' };
}

/** The address of a user's timeline: the ID may hold any character. */
export function userAddress(id: string): string {
  return `#/events/user?id=${encodeURIComponent(id)}`;
}
