/**
 * The path of an SVG line through values of equal distance, from zero at the bottom to the highest at the top; a
 * missing value breaks the line, and one alone between two breaks is a short dash. '' without any value.
 */
export function sparkPath(
  values: readonly (number | null)[],
  { width, height }: { width: number; height: number },
): string {
  const highest = Math.max(1, ...values.map(value => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  const inset = 1;
  const round = (value: number) => Math.round(value * 10) / 10;
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const x = round(index * step);
    const y = round(height - inset - (value / highest) * (height - 2 * inset));
    const isJoined = index > 0 && values[index - 1] !== null;
    path += isJoined ? `L${x} ${y}` : `M${x} ${y}`;
    if (!isJoined && (values[index + 1] ?? null) === null) path += 'h2';
  }
  return path;
}
