import type { MaintenanceDraft } from '../../../data/drafts/maintenance-draft.ts';
import type { Component, Named } from '../../../data/server/api-types.ts';
import type { Action } from '../../../state/action.ts';

/** What a window can cover. */
export type Choosable = {
  monitors: readonly Named[];
  components: readonly Component[];
  pages: readonly Named[];
};

/** What every part of the editor gets. */
export type FieldsProps = {
  draft: MaintenanceDraft;
  change(changes: Partial<MaintenanceDraft>): void;
  action: Action;
};
