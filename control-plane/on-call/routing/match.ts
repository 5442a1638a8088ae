import type { AlertKind, Severity } from '#shared/vocabulary.ts';
import { parseSelector } from '../../platform/selectors/parse.ts';
import { matches, type Subject } from '../../platform/selectors/selector.ts';
import type { RouteView } from './route.ts';

/** What routes look at, of an alert. */
export type Routed = Subject & { severity: Severity; alertKind: AlertKind };

type Matching = Pick<RouteView, 'id' | 'enabled' | 'match' | 'continue'>;

/** Pure: the routes of an alert, in their order. The first that matches is the only one unless it says `continue`. */
export function routesOf<Route extends Matching>(inOrder: readonly Route[], alert: Routed): Route[] {
  const found: Route[] = [];
  for (const route of inOrder) {
    if (!route.enabled || !matchesAlert(route, alert)) continue;
    found.push(route);
    if (!route.continue) break;
  }
  return found;
}

function matchesAlert({ match }: Matching, alert: Routed): boolean {
  const { selector, severities, kinds, notices } = match;
  // A route that names notices and asks nothing of alerts is for notices alone.
  if (notices.length > 0 && selector === null && severities.length === 0 && kinds.length === 0) return false;
  if (severities.length > 0 && !severities.includes(alert.severity)) return false;
  if (kinds.length > 0 && !kinds.includes(alert.alertKind)) return false;
  return selector === null || matches(parseSelector(selector), alert);
}
