import type { Answer } from '../../platform/http/endpoint/endpoint.ts';

/** How a body of events is written, and what is answered. */
export type IntakeForm = {
  /** Whether it is that of `POST /v0/events`: only there an Idempotency-Key means something. */
  isOwn: boolean;
  /** The items of a body as events, each to be checked, and where each is. `mayBeEmpty`: none has to be valid. */
  read(body: unknown, nowMs: number): { items: readonly unknown[]; prefix(index: number): string; mayBeEmpty: boolean };
  answer(answer: Answer): Answer;
};

/** That of `POST /v0/events`. */
export const ownForm: IntakeForm = {
  isOwn: true,
  read: body => ({
    items: Array.isArray(body) ? body : [body],
    prefix: index => (Array.isArray(body) ? `/${index}` : ''),
    mayBeEmpty: false,
  }),
  answer: answer => answer,
};
