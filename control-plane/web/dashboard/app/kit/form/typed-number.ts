/** The number typed into a field; NaN if there is none, which becomes null in JSON, so that the API names the fault. */
export function typedNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The same for a field that may be empty. */
export function typedNumberOrNull(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}
