import type { Fields } from '../../../kit/form/fields.tsx';
import type { MonitorDraft } from './monitor-draft.ts';

/** What each section of the form gets. */
export type FieldsProps = { form: Fields<MonitorDraft> };
