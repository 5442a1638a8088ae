import { hourMs } from '#shared/duration.ts';
import { isOneLine } from '../../platform/http/line.ts';

/** The options of one command as they were given. */
export type Options = Readonly<Record<string, string | undefined>>;

const wholeNumberMax = 1_000_000;

/** The value of an option. Throws if it is missing, blank or more than a line. */
export function requireOption(options: Options, name: string): string {
  const value = options[name]?.trim();
  if (value === undefined || value === '') throw new Error(`--${name} is required.`);
  if (!isOneLine(value)) throw new Error(`--${name} must not contain control characters.`);
  return value;
}

/** A whole number from 1 to a million. Throws for anything else. */
export function requireWholeNumber(options: Options, name: string): number {
  const value = Number(requireOption(options, name));
  if (!Number.isInteger(value) || value < 1 || value > wholeNumberMax)
    throw new Error(`--${name} must be a whole number from 1 to ${wholeNumberMax}.`);
  return value;
}

/** The start of the hour that contains a time, in milliseconds. Throws if it cannot be read. */
export function requireHour(options: Options, name: string): number {
  const text = requireOption(options, name);
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error(`--${name} must be a time such as 2026-11-20T10:00:00Z, not ${text}.`);
  return Math.floor(ms / hourMs) * hourMs;
}
