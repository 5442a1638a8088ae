import type { Action } from '../../session/action.ts';
import type { RouteDraft } from './route-draft.ts';

/** What every part of the editor gets. */
export type RouteFieldsProps = {
  draft: RouteDraft;
  change(changes: Partial<RouteDraft>): void;
  action: Action;
};
