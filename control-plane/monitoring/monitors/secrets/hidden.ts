import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import type { MonitorSettings } from '../monitor.ts';
import { mapTexts, type Place, placesOf } from './places.ts';

/** Replaces a text that the token may not read. Sent back, it keeps the stored text. */
export const hiddenValue = '********';

/** Settings for who may not read these texts. */
export function hide<Settings extends ValidFields<MonitorSettings>>(
  settings: Settings,
  isHidden: (place: Place) => boolean = () => true,
): Settings {
  return mapTexts(settings, (text, place) => (place.isShown !== true && isHidden(place) ? hiddenValue : text));
}

/** The settings with the stored texts in place of hidden ones; `missing`: pointers of those that none is stored for. */
export function reveal<Settings extends ValidFields<MonitorSettings>>(
  given: Settings,
  stored: ValidFields<MonitorSettings>,
): { settings: Settings; missing: string[] } {
  const known = new Map(placesOf(stored).map(place => [keyOf(place), place.text]));
  const missing: string[] = [];
  const settings = mapTexts(given, (text, place) => {
    if (place.isShown === true || text !== hiddenValue) return text;
    const found = known.get(keyOf(place));
    if (found === undefined) missing.push(place.pointer);
    return found ?? '';
  });
  return { settings, missing };
}

/** Names of headers are the same in any case. */
function keyOf({ key, pointer }: Place): string {
  return (key ?? pointer).toLowerCase();
}
