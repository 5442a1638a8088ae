import { errorsMax, type FieldError } from './problem.ts';
import { pointerTo } from './unknown-fields.ts';

/** Control characters but tab and line ends, and halves of a character that UTF-8 cannot encode. */
function isUnclean(text: string): boolean {
  return /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text) || !text.isWellFormed();
}

/**
 * Errors of the texts in a body that hold control characters. A configuration is refused with them: replacing them
 * would change what is checked or sent, and nobody would see why.
 */
export function controlCharacterErrors(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  visit(body, [], errors);
  return errors;
}

function visit(value: unknown, path: readonly string[], errors: FieldError[]): void {
  if (errors.length >= errorsMax) return;
  if (typeof value === 'string' && isUnclean(value))
    errors.push({ pointer: pointerTo(path), code: 'format', detail: 'must not contain control characters' });
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) visit(item, [...path, name], errors);
}
