import type { DnsFacts } from '#shared/checks/facts.ts';
import type { Answer } from './answer.ts';
import { dataOf } from './dns-facts.ts';

/** Whether a server gives the same code and the same set of data, whatever the TTL. */
export function agreementOf(
  main: Answer['message'],
  { label, answer }: { label: string; answer: Answer | null },
  type: number,
): DnsFacts['servers'][number] {
  if (answer === null) return { server: label, rcode: null, agrees: false };
  const { message } = answer;
  const [data, mainData] = [new Set(dataOf(message, type)), new Set(dataOf(main, type))];
  const agrees = message.rcode === main.rcode && data.symmetricDifference(mainData).size === 0;
  return { server: label, rcode: message.rcode, agrees };
}
