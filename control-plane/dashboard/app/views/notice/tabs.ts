/** Alerts are about monitors, notices about the watching itself. */
export const alertTabs = [
  ['#/alerts', 'Alerts'],
  ['#/alerts/notices', 'Notices'],
] as const;
