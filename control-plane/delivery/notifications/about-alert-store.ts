import { type Fragment, fragment } from '../../platform/db/sql.ts';

/** Subjects of deliveries begin with the alert, or with the kind of the fact and the alert. They are indexed. */
const facts = ['opened', 'held', 'updated', 'acknowledged', 'escalated', 'resolved'];

/**
 * Whether the delivery `d` is about the alert, by its subject. Each range stands by itself, with values that the
 * planner sees: of others it expects more rows, and would rather read the whole table. For `sql.once`.
 */
export function isAboutAlert(alertId: string): Fragment {
  const prefixes = [`${alertId} `, ...facts.map(kind => `alert.${kind} ${alertId} `)];
  const range = (prefix: string) => fragment`(d.subject >= ${prefix} and d.subject < ${`${prefix}~`})`;
  return prefixes.map(range).reduce((all, next) => fragment`${all} or ${next}`);
}
