import type { SeriesStore } from '../../platform/db/series/series.ts';
import type { Services } from '../../platform/services.ts';
import { openDirectIntake } from './direct.ts';
import type { Intake } from './intake.ts';
import { openNatsIntake } from './nats/nats.ts';
import type { NatsSettings } from './settings.ts';

/** The intake that the settings ask for: null for the one without a broker. Waits while the broker is away. */
export async function openIntake(
  settings: NatsSettings | null,
  services: Services & { series: SeriesStore },
): Promise<Intake> {
  return settings === null ? openDirectIntake(services) : openNatsIntake(settings, services);
}
