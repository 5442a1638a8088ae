import type { AnswerTable } from '../page/server.ts';

export type Step = readonly ['type' | 'choose', string, string] | readonly ['check' | 'press', string];

/** A form: how it is opened and filled, what it sends, and what follows. */
export type FormRow = {
  name: string;
  address: string;
  /** The button that opens its dialog. */
  open?: string;
  answers?: AnswerTable;
  fill: readonly Step[];
  submit: string;
  /** What is sent, such as `POST /v0/walls`, with members that the body must have. */
  sends: readonly [operation: string, body: object];
  answer: unknown;
  /** Where it leads, or what is then read. */
  leads?: string;
  says?: string;
  /** A field that the server refuses: its pointer and its label. */
  refused: readonly [pointer: string, label: string];
  /** A field whose text survives a reload, and how it is given up. */
  draft?: { field: string; text: string; cancel?: string };
};

/** As it is chosen. */
export const severestLabel = 'P1 – core service down';
