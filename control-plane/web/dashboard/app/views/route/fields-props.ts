import type { RouteDraft } from '../../data/drafts/route-draft.ts';
import type { Action } from '../../state/action.ts';

/** What every part of the editor gets. */
export type RouteFieldsProps = {
  draft: RouteDraft;
  change(changes: Partial<RouteDraft>): void;
  action: Action;
};
