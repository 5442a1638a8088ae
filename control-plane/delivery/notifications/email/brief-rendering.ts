import { unformatted } from '../../../platform/markup/markdown.ts';
import { cut, type RenderedText, renderText } from '../../../platform/markup/rendered-text.ts';

/** Makes the HTML of a text that no publication has rendered yet. */
export type RenderText = (markdown: string) => RenderedText;

const excerptMax = 300;
/** The slowest text of this length takes some 15 ms. */
const charactersMax = 2000;
const budgetMs = 50;
const perMs = 1000;

/**
 * Renders short texts, for at most 50 ms of each second: it runs beside everything else of a worker. The publisher's
 * thread renders all texts, but emails may leave before it has; what does not fit is sent unformatted.
 */
export function createBriefRendering(now: () => number = () => performance.now()): RenderText {
  let [windowAt, spentMs] = [now(), 0];
  return markdown => {
    const startedAt = now();
    if (startedAt - windowAt >= perMs) [windowAt, spentMs] = [startedAt, 0];
    const rendered = spentMs >= budgetMs ? leaveUnformatted(markdown) : renderShort(markdown);
    spentMs += now() - startedAt;
    return rendered;
  };
}

/** Leaves long texts unformatted. */
export const renderShort: RenderText = markdown =>
  markdown.length > charactersMax ? leaveUnformatted(markdown) : renderText(markdown);

function leaveUnformatted(markdown: string): RenderedText {
  return { html: unformatted(markdown), excerpt: cut(markdown, excerptMax) };
}
