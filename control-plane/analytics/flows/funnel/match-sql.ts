import type { Condition } from '../../../platform/conditions/condition.ts';
import { joinFragments } from '../../../platform/db/compose-sql.ts';
import { type Fragment, fragment } from '../../../platform/db/sql.ts';
import type { Step } from '../flow.ts';

/** The condition that a row of `events` matches a step. */
export function matchSql(step: Step): Fragment {
  return joinFragments([fragment`name = ${step.event}::text`, ...step.where.map(conditionSql)], ' and ');
}

/** Never null: if the property is missing, everything but `not_exists` is false. */
function conditionSql(condition: Condition): Fragment {
  return fragment`coalesce(${operatorSql(condition)}, false)`;
}

function operatorSql({ prop, op, value }: Condition): Fragment {
  const property = { type: fragment`json_typeof(props -> ${prop}::text)`, text: fragment`(props ->> ${prop}::text)` };
  const exists = fragment`(props -> ${prop}::text) is not null`;
  const values = Array.isArray(value) ? value : [value];
  switch (op) {
    case 'exists':
      return exists;
    case 'not_exists':
      return fragment`not (${exists})`;
    case 'eq':
    case 'in':
      return equalsAnySql(property, values);
    case 'neq':
    case 'not_in':
      return fragment`(${exists} and not coalesce(${equalsAnySql(property, values)}, false))`;
    case 'contains':
      return fragment`(${property.type} = 'string' and strpos(${property.text}, ${String(value)}::text) > 0)`;
    case 'not_contains':
      return fragment`(${property.type} = 'string' and strpos(${property.text}, ${String(value)}::text) = 0)`;
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return numberSql(property, comparisons[op], Number(value));
    default:
      return op satisfies never;
  }
}

const comparisons = { lt: fragment`<`, lte: fragment`<=`, gt: fragment`>`, gte: fragment`>=` };

/** A property of a row: its JSON type and its text. */
type Property = { type: Fragment; text: Fragment };

function equalsAnySql(property: Property, values: readonly unknown[]): Fragment {
  const equals = values.map(value => equalsSql(property, value));
  return fragment`(${joinFragments(equals, ' or ')})`;
}

function equalsSql(property: Property, value: unknown): Fragment {
  if (value === null) return fragment`${property.type} = 'null'`;
  if (typeof value === 'number') return numberSql(property, fragment`=`, value);
  const type = typeof value === 'boolean' ? fragment`'boolean'` : fragment`'string'`;
  return fragment`(${property.type} = ${type} and ${property.text} = ${String(value)}::text)`;
}

/** Both sides are doubles written by one program in their shortest form, so equal text is equal value. */
function numberSql({ type, text }: Property, comparison: Fragment, value: number): Fragment {
  return fragment`(case when ${type} = 'number' then ${text}::float8 ${comparison} ${value}::float8 else false end)`;
}
