import type { Incident } from './shapes.ts';
import type { Place } from './view.ts';

/** What the parts of an incident's editor share. */
export type Editor = { place: Place; id: string; changed(incident: Incident): void };
