/** What a role may do, as people choose it. */
export const roleChoices = [
  ['viewer', 'Viewer – sees everything but subscribers and the audit log'],
  ['responder', 'Responder – acknowledges alerts, publishes incidents and maintenance'],
  ['editor', 'Editor – changes monitors, pages, channels and routes'],
  ['admin', 'Admin – also changes the project, tokens, agents and members'],
] as const;
export type Role = (typeof roleChoices)[number][0];
