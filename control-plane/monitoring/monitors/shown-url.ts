import { kindOf } from './kinds/kinds.ts';
import type { MonitorSettings, MonitorTest, Tested } from './monitor.ts';

/** Stored settings as a change begins with them: without the URL of a kind that takes none. */
export function withoutShownUrl(settings: MonitorSettings): Omit<MonitorSettings, 'url'> & { url?: string } {
  const { url, ...others } = settings;
  return kindOf(settings.kind ?? 'http').urlOf === undefined ? settings : others;
}

/** Settings to try that were found valid: of a kind that agents check. */
export function wholeTest({ url = '', interval_seconds = 0, regions = [], ...test }: Tested): MonitorTest {
  const kind = kindOf(test.kind ?? 'http');
  const shown = kind.urlOf?.(test.multistep ?? { steps: [] }) ?? url;
  return { ...test, url: shown, interval_seconds, regions };
}
