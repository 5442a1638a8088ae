import type { z } from 'zod';
import type { Assertion } from '#shared/assertions/assertion.ts';
import type { Capability } from '#shared/capabilities.ts';
import type { Check } from '#shared/checks/check.ts';
import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import type { Voter } from '#shared/vocabulary.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import type { EgressUse } from '../egress/rules.ts';

/** The settings that a kind looks at; a field that is wrong by itself is undefined. `own` is the kind's own object. */
export type KindSettings<Own> = {
  readonly url?: string | undefined;
  readonly timeout_ms?: number | null | undefined;
  readonly interval_seconds?: number | undefined;
  readonly assertions?: readonly Assertion[] | undefined;
  readonly own: Own | undefined;
};

/**
 * How the control plane judges a kind that no agent checks. Its monitors have no regions, one voter, a quorum of 1 and
 * a fixed time limit. `takesUrl`: whether a URL is sent; else it is stored empty and shown by the kind.
 * `intervalSeconds` is null if the interval is sent or follows from the kind's own object.
 */
export type WithoutAgents = {
  voter: Voter;
  timeoutMs: number;
  takesUrl: boolean;
  intervalSeconds: number | null;
};

/**
 * What a kind of monitor asks of its settings, and what agents get of them. `Own` is the object that bears its name.
 *
 * @property schemes of its URLs, each with the colon
 * @property assertions the types that it takes beside those of every kind
 * @property withoutAgents null for a kind that agents check
 * @property hasCertificate whether its checks see certificates
 * @property egress what it takes of how checks go out
 * @property takesHttpVersion whether its requests can be made by HTTP/2
 * @property takesAuth whether its checks can sign in by a header
 * @property urlError what is wrong with a URL of one of its schemes
 * @property needs what an agent must be able to do
 * @property urlOf the URL that monitors show whose kind takes none
 * @property ownOf the own object of a kind that takes none and makes it of the URL
 * @property completed the own object with what is left out
 * @property intervalOf the interval in seconds where none is given
 * @property read the own object as it is stored, if it need not be parsed again
 */
export type Kind<Own> = {
  kind: MonitorKind;
  schemes: readonly string[];
  own: z.ZodType<Own>;
  intervalMin: number;
  intervalMax: number;
  withoutAgents: WithoutAgents | null;
  assertions: readonly Assertion['type'][];
  hasCertificate: boolean;
  egress: EgressUse;
  takesAuth: boolean;
  takesHttpVersion: boolean;
  encodedUrl(text: string): string;
  urlError(text: string): string | null;
  urlOf?(own: Own): string;
  completed?(own: Own): Own;
  intervalOf?(own: Own): number;
  read?(stored: unknown): Own;
  ownOf?(url: string): Own;
  errors(settings: KindSettings<Own>): readonly FieldError[];
  needs(settings: { url: string; own: Own }): readonly Capability[];
  check(settings: { url: string; own: Own }): Check | null;
};
