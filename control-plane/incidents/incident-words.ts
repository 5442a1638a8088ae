export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

export const impacts = ['none', 'degraded', 'partial', 'major'] as const;
export type Impact = (typeof impacts)[number];
