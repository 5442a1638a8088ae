import type { ShownStatus } from '#shared/vocabulary.ts';
import { worstOf } from '../../../monitoring/components/status.ts';
import { statusTones, type Tone } from '../../../platform/design/tones.ts';
import type { Words } from '../locale/words.ts';
import type { PageModel } from '../publish/page-model.ts';

export type Headline = { status: ShownStatus; tone: Tone; text: string };

/** The whole page in one line. It says that all systems are operational only if every component is. */
export function headlineOf(model: PageModel, { headline: words }: Pick<Words, 'headline'>): Headline {
  const statuses = model.components.map(component => component.status);
  const status = worstOf([model.status, ...statuses]);
  const all = statuses.every(candidate => candidate === status);
  if (statuses.length === 0 && status === 'operational') return withoutComponents(model, words);
  return { status, tone: statusTones[status], text: headlineText(status, all, words) };
}

function headlineText(status: ShownStatus, all: boolean, words: Words['headline']): string {
  switch (status) {
    case 'operational':
      return words.operational;
    case 'unknown':
      return all ? words.unknown : words.unknownSome;
    case 'under_maintenance':
      return all ? words.maintenance : words.maintenanceSome;
    case 'degraded_performance':
      return all ? words.degraded : words.degradedSome;
    case 'partial_outage':
      return words.partial;
    case 'major_outage':
      return all ? words.major : words.majorSome;
    default:
      return status satisfies never;
  }
}

/** A page without components can only report incidents. */
function withoutComponents(model: PageModel, words: Words['headline']): Headline {
  return model.openIncidents.length === 0
    ? { status: 'operational', tone: 'ok', text: words.noIncidents }
    : { status: 'operational', tone: 'note', text: words.incident };
}
