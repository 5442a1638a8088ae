import { dayMs, hourMs } from '#shared/duration.ts';
import { type FieldCode, Problem } from '../../../platform/http/problem.ts';
import type { Grouping, ReportQuery } from './schema.ts';

const groupsMax = { none: 1, day: 400, hour: 800, release: 100_000 };

/** How entries are grouped: by time or by a property, whose values are known from raw events alone. */
export function readGrouping({ group_by = 'none', property, source }: ReportQuery): {
  grouping: Grouping;
  property: string | null;
} {
  if (group_by !== 'property') {
    if (property === undefined) return { grouping: group_by, property: null };
    throw badParameter('property', 'read_only', 'needs group_by=property');
  }
  if (property === undefined) throw badParameter('property', 'required', 'is required with group_by=property');
  if (source === 'hourly')
    throw badParameter('source', 'enum', 'must be raw with group_by=property: the roll-up has no properties');
  return { grouping: 'none', property };
}

export function badParameter(parameter: string, code: FieldCode, detail: string): Problem {
  return new Problem('invalid_parameter', { detail: `${parameter} ${detail}`, errors: [{ parameter, code, detail }] });
}

export function checkGroups(grouping: Grouping, fromMs: number, toMs: number): void {
  const count = grouping === 'day' ? (toMs - fromMs) / dayMs : grouping === 'hour' ? (toMs - fromMs) / hourMs : 0;
  if (count > groupsMax[grouping])
    throw badParameter(
      'group_by',
      'out_of_range',
      `must give at most ${groupsMax[grouping]} groups: choose a shorter range`,
    );
}
