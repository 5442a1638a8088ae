import type { SectionLink } from '../../kit/section-links.tsx';

/** Alerts are about monitors, notices about the watching itself. */
export const alertTabs: readonly SectionLink[] = [
  { address: '#/alerts', name: 'Alerts' },
  { address: '#/alerts/notices', name: 'Notices' },
];
