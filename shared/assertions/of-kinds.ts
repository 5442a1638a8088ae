import { z } from 'zod';
import { addressesMax } from '../checks/addresses.ts';
import { grpcCodeMax, servingStatuses, spokenVersions } from '../checks/vocabulary.ts';

// Assertions of checks other than HTTP, and on the time that any check took.

/** What a failed assertion makes of its check; every assertion but `latency_p95` takes it. */
export const onFailField = {
  on_fail: z
    .enum(['err', 'warn'])
    .optional()
    .describe('What a failure makes of the check: `err` (as if left out) fails it, `warn` makes it a warning.'),
};

/** Most items of a set. */
export const setSizeMax = 100;
const limits = z.enum(['lt', 'lte']);
const valueMs = z.number().positive().max(600_000);

export const latencySchema = z.object({
  type: z.literal('latency'),
  operator: limits,
  value_ms: valueMs.describe('Limit of `latency_ms` of the attempt, in milliseconds; of a ping the average.'),
  ...onFailField,
});

export const httpVersionSchema = z.object({
  type: z.literal('http_version'),
  operator: z.enum(['eq', 'neq', 'in']),
  value: z
    .union([z.enum(spokenVersions), z.array(z.enum(spokenVersions)).min(1).max(spokenVersions.length)])
    .describe('A version of HTTP; for `in` an array of them.'),
  ...onFailField,
});

export const tlsVersions = ['TLSv1.2', 'TLSv1.3'] as const;

export const tlsVersionSchema = z.object({
  type: z.literal('tls_version'),
  operator: z.enum(['eq', 'gte', 'in']),
  value: z
    .union([z.enum(tlsVersions), z.array(z.enum(tlsVersions)).min(1).max(tlsVersions.length)])
    .describe('A version; for `in` an array of them.'),
  ...onFailField,
});

const rcodeText = z.string().regex(/^[A-Z0-9]{2,16}$/);

export const dnsRcodeSchema = z.object({
  type: z.literal('dns_rcode'),
  operator: z.enum(['eq', 'neq', 'in', 'not_in']),
  value: z
    .union([rcodeText, z.array(rcodeText).min(1).max(setSizeMax)])
    .describe('A response code such as `NXDOMAIN`; for `in` and `not_in` an array of them.'),
  ...onFailField,
});

const recordText = z.string().min(1).max(4096);

export const dnsRecordSchema = z.object({
  type: z.literal('dns_record'),
  operator: z.enum(['eq', 'neq', 'contains', 'not_contains', 'matches', 'not_matches', 'in', 'not_in']),
  value: z
    .union([recordText, z.array(recordText).min(1).max(setSizeMax)])
    .describe(
      'Data of a record in presentation form, in lower case and without the final dot of names; for `in` and ' +
        '`not_in` an array. A positive operator must hold for one record, a negative one for all.',
    ),
  ...onFailField,
});

export const dnsAgreeSchema = z.object({
  type: z.literal('dns_agree'),
  operator: z.enum(['eq']).default('eq'),
  ...onFailField,
});

export const dnsChangedSchema = z.object({
  type: z.literal('dns_changed'),
  operator: z.enum(['eq']).default('eq'),
  value: z.literal(false).default(false).describe('Always false: the records must not have changed.'),
  window_minutes: z
    .int()
    .min(5)
    .max(10_080)
    .default(60)
    .describe('Length of the window whose first good result the records are compared with, in minutes.'),
  on_fail: z
    .enum(['err', 'warn'])
    .optional()
    .describe('What a failure makes of the check: `warn` (as if left out) makes it a warning, `err` fails it.'),
});

export const packetLossSchema = z.object({
  type: z.literal('packet_loss'),
  operator: limits,
  value: z.number().min(0).max(1).describe('Share of the packets without a reply, from 0 to 1.'),
  ...onFailField,
});

export const jitterSchema = z.object({
  type: z.literal('jitter'),
  operator: limits,
  value_ms: valueMs.describe('Limit of the mean difference of neighbouring replies, in milliseconds.'),
  ...onFailField,
});

const grpcStatus = z.union([z.enum(servingStatuses), z.int().min(0).max(grpcCodeMax)]);

export const grpcStatusSchema = z.object({
  type: z.literal('grpc_status'),
  operator: z.enum(['eq', 'neq', 'in', 'not_in']),
  value: z
    .union([grpcStatus, z.array(grpcStatus).min(1).max(setSizeMax)])
    .describe('What the service says, or a status code of gRPC; for `in` and `not_in` an array of them.'),
  ...onFailField,
});

export const addressesSchema = z
  .object({
    type: z.literal('addresses'),
    operator: z.enum(['all', 'gte']),
    value: z
      .int()
      .min(1)
      .max(addressesMax)
      .optional()
      .describe('How many addresses of the name must answer; left out with `all`.'),
    ...onFailField,
  })
  .superRefine(({ operator, value }, context) => {
    if ((operator === 'all') === (value === undefined)) return;
    const code = value === undefined ? 'required' : 'not_allowed';
    const message = value === undefined ? 'must be given with this operator' : 'must be left out with this operator';
    context.addIssue({ code: 'custom', path: ['value'], params: { code }, message });
  });

const runSecondsSchema = z.object({
  type: z.literal('run_seconds'),
  operator: z.enum(['lt', 'lte', 'gt', 'gte']),
  value: z.number().min(0).describe('Limit of the time from the start of a run to its success, in seconds.'),
  ...onFailField,
});

const measuredSchema = z.object({
  type: z.literal('measured'),
  operator: z.enum(['lt', 'lte', 'gt', 'gte']),
  value: z
    .number()
    .min(0)
    .describe('What is compared with the value that was measured; the condition that is to hold.'),
  ...onFailField,
});

/** Decided by the control plane: of the runs of a job, and of stored events. */
export const ofValues = [runSecondsSchema, measuredSchema] as const;

/** The assertions that an operator of a set compares with an array, all others with one value. */
export function takesSet(operator: string): boolean {
  return operator === 'in' || operator === 'not_in';
}
