/** `1 monitor`, `1,200 monitors`. */
export function plural(count: number, singular: string, several = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : several}`;
}
