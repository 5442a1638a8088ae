import type { Fields } from '../../../kit/form/fields.tsx';
import type { Component, Named } from '../../../session/api-types.ts';
import type { MaintenanceDraft } from './maintenance-draft.ts';

/** What a window can cover. */
export type Choosable = {
  monitors: readonly Named[];
  components: readonly Component[];
  pages: readonly Named[];
};

/** What every part of the editor gets. */
export type FieldsProps = { form: Fields<MaintenanceDraft> };
