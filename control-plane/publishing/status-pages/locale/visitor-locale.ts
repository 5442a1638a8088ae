import { type Locale, locales } from './language.ts';

const lengthMax = 200;

/**
 * The language of ours that a browser prefers, by its `Accept-Language`; English if it names none of them. Only the
 * beginning is looked at: nobody reads twenty languages.
 */
export function visitorLocale(header: string): Locale {
  let best: { locale: Locale; weight: number } = { locale: 'en', weight: 0 };
  for (const offer of header.slice(0, lengthMax).toLowerCase().split(',')) {
    const [range = '', ...parameters] = offer.split(';').map(part => part.trim());
    const locale = locales.find(known => range === known || range.startsWith(`${known}-`));
    const weight = weightOf(parameters);
    if (locale !== undefined && weight > best.weight) best = { locale, weight };
  }
  return best.locale;
}

/** Between 0 and 1; what cannot be read counts as refused. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
  if (given === undefined) return 1;
  const weight = given === '' ? Number.NaN : Number(given);
  return weight >= 0 && weight <= 1 ? weight : 0;
}
