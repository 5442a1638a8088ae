import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { isTimezone } from '../../platform/local-time.ts';
import { roles } from '../../platform/projects/roles.ts';
import type { OwnProject } from '../members/store.ts';

export const personStates = ['active', 'deactivated', 'erased'] as const;
const themes = ['system', 'light', 'dark'] as const;

const preferencesSchema = z
  .object({
    theme: z.enum(themes).default('system'),
    timezone: z.string().max(64).refine(isTimezone, 'must be an IANA time zone').nullable().default(null),
  })
  .describe('What the dashboard looks like in every browser.');
export type Preferences = z.output<typeof preferencesSchema>;

const ownProjectSchema = z.object({ id: z.string(), name: z.string(), role: z.enum(roles) });

export const personSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    email_verified: z.boolean(),
    operator: z.boolean(),
    state: z.enum(personStates),
    preferences: preferencesSchema,
    last_seen_at: z.string().nullable(),
    passkeys: z.int(),
    identities: z.array(
      z.object({ id: z.string(), issuer: z.string(), created_at: z.string(), last_used_at: z.string() }),
    ),
    created_at: z.string(),
    projects: z.array(ownProjectSchema).optional().describe('Shown to those who run the installation.'),
  })
  .meta({ title: 'Person' });

export const personPatchSchema = z
  .object({ operator: z.boolean().optional(), state: z.enum(['active', 'deactivated']).optional() })
  .meta({
    [readOnlyKey]: [
      ...['id', 'name', 'email', 'email_verified', 'preferences', 'last_seen_at', 'passkeys', 'identities'],
      ...['created_at', 'projects'],
    ],
  });

export const mePatchSchema = z.object({ name: lineSchema(100).optional(), preferences: preferencesSchema.optional() });

/** A row of `people`; instants in milliseconds. */
export type PersonRow = {
  id: string;
  name: string;
  email: string | null;
  email_verified: boolean;
  operator: boolean;
  state: (typeof personStates)[number];
  preferences: Partial<Preferences>;
  last_seen_at: number | null;
  created_at: number;
  /** How many they have. */
  passkeys: number;
  /** Their accounts at identity providers. */
  identities: { id: string; issuer: string; created_at: number; last_used_at: number }[];
};

/** A person as the API shows it. */
export function viewPerson(row: PersonRow, projects?: readonly OwnProject[]) {
  const { id, name, email, email_verified, operator, state, last_seen_at, created_at, passkeys } = row;
  return {
    id,
    name,
    email,
    email_verified,
    operator,
    state,
    preferences: preferencesSchema.parse(row.preferences),
    last_seen_at: last_seen_at === null ? null : toTimestamp(last_seen_at),
    passkeys,
    identities: row.identities.map(identity => ({
      ...identity,
      created_at: toTimestamp(identity.created_at),
      last_used_at: toTimestamp(identity.last_used_at),
    })),
    created_at: toTimestamp(created_at),
    ...(projects === undefined ? {} : { projects: [...projects] }),
  };
}

/** What the audit says of a person. */
export function auditPerson({ name, email, operator, state, preferences }: PersonRow): Fields {
  return { name, email, operator, state, preferences };
}
