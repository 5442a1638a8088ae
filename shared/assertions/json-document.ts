import type { Json, JsonDocument } from './json-path.ts';

/** Null if the text is not JSON. */
export function parseJson(text: string): JsonDocument | null {
  try {
    return { text, value: JSON.parse(text) as Json };
  } catch {
    return null;
  }
}

/** For the queries that run elsewhere in any case. */
export function unparsed(text: string): JsonDocument {
  return {
    text,
    get value() {
      return JSON.parse(text) as Json;
    },
  };
}
