import { z } from 'zod';
import type { ChannelDefinition } from './channel-type.ts';
import { metaOf } from './fields.ts';

/** One field of a configuration, as forms show it. */
export type FormField = {
  name: string;
  label: string;
  /** `list`: one item a line; `pairs`: `Name: value` a line; `area`: several lines. */
  kind: 'text' | 'number' | 'list' | 'pairs' | 'area' | 'choice';
  /** Shown masked once it is stored. */
  isSecret?: true;
  isOptional?: true;
  hint?: string;
  placeholder?: string;
  choices?: readonly (readonly [value: string, label: string])[];
  initial?: string;
};

/** A type of channel, as forms show it. */
export type ChannelForm = { label: string; about: string; detail: 'full' | 'brief'; fields: readonly FormField[] };

/** The form of a type, made from its schema. */
export function formOf({ label, about, detail, schema }: ChannelDefinition): ChannelForm {
  const fields = Object.entries(schema.shape).map(([name, field]) => fieldOf(name, field as z.ZodType));
  return { label, about, detail: detail ?? 'full', fields };
}

function fieldOf(name: string, schema: z.ZodType): FormField {
  const { label, hint, placeholder, isSecret, ...meta } = metaOf(schema);
  const value = valueSchema(schema);
  const kind = meta.isLong === true ? 'area' : kindOf(value);
  const absent = schema.safeParse(undefined);
  const initial = typeof absent.data === 'string' ? absent.data : meta.initial;
  const isOptional = absent.success && typeof absent.data === 'object';
  return {
    ...{ name, label, kind },
    ...(isSecret === undefined ? {} : { isSecret }),
    ...(isOptional ? { isOptional } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(value instanceof z.ZodEnum ? { choices: choicesOf(value.options, meta.choices) } : {}),
    ...(initial === undefined ? {} : { initial }),
  };
}

/** Without what makes it optional or maskable. */
function valueSchema(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) return valueSchema(schema.unwrap());
  return schema instanceof z.ZodUnion ? valueSchema(schema.options[0]) : schema;
}

function kindOf(schema: unknown): FormField['kind'] {
  if (schema instanceof z.ZodArray) return 'list';
  if (schema instanceof z.ZodRecord) return 'pairs';
  if (schema instanceof z.ZodEnum) return 'choice';
  return schema instanceof z.ZodNumber ? 'number' : 'text';
}

function choicesOf(values: readonly (string | number)[], names: Readonly<Record<string, string>> = {}) {
  return values.map(value => [String(value), names[value] ?? String(value)] as const);
}
