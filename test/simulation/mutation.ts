/** What can be broken in the model, to see that the simulation notices. */
export const mutations = [
  'acknowledge before the commit',
  'acknowledge before the broker stored it',
  'no unique key',
  'no fence',
  'no stored sequence and no unique key',
  'sequence in a transaction of its own',
  'message acknowledged before the commit',
  'sink skips a message',
  'no replay of late results',
  'replay does not look whether anything changed',
  'spool deletes what it sends',
  'fact handled outside its transaction',
  'votes do not expire',
  'no index of unresolved alerts',
  'quorum of those who vote',
  'owners are not told',
] as const;
export type Mutation = (typeof mutations)[number];
