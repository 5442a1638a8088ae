import { type Html, html, trusted } from '../../../platform/markup/html.ts';
import type { ReportView, StepView } from './schema.ts';

const width = 720;
const rowHeight = 56;
const barHeight = 20;
const margin = 24;
const top = 64;
const barsMax = 60;
const labelLengthMax = 60;

const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium' });

type Group = { label: string; steps: readonly StepView[] };

const style = trusted(`<style>
text{font:14px system-ui,sans-serif;fill:#1c2733}.title{font-size:18px;font-weight:600}
.quiet{fill:#5b6b7b;font-size:12px}.track{fill:#e8edf2}.bar{fill:#2f6fde}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9aa8b6}.track{fill:#26313c}.bar{fill:#5b93f5}}
</style>`);

/**
 * Draws a report as an SVG document: a bar per step, as wide as its share of the first, for all entries and for the
 * latest groups.
 */
export function drawFunnel(title: string, report: ReportView): string {
  const groups = groupsOf(report);
  const drawnMax = Math.max(0, Math.floor(barsMax / report.steps.length) - 1);
  const drawn =
    report.values === undefined ? groups.slice(Math.max(0, groups.length - drawnMax)) : groups.slice(0, drawnMax);
  const omitted = groups.length - drawn.length;
  const omittedHeight = omitted === 0 ? 0 : 28;
  const groupHeight = report.steps.length * rowHeight + 44;
  const groupsTop = top + groupHeight + omittedHeight;
  const height = groupsTop + drawn.length * groupHeight + margin;
  const { from, to } = report.range;
  const estimated = report.estimated ? ', estimated within about 1 %' : '';
  const viewBox = `0 0 ${width} ${height}`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${viewBox}"
 role="img" aria-label="${title}">
${style}
<text class="title" x="${margin}" y="30">${cut(title)}</text>
<text class="quiet" x="${margin}" y="50">${minuteOf(from)} to ${minuteOf(to)} UTC${estimated}</text>
${drawGroup('All entries', report.steps, top)}
${omitted === 0 ? '' : drawOmitted(omitted, report.values === undefined ? 'earlier' : 'smaller', groupsTop)}
${drawn.map(({ label, steps }, index) => drawGroup(label, steps, groupsTop + index * groupHeight))}
</svg>`.toString();
}

/** Groups in the order of time, which is that of the report, or of values the most frequent first. */
function groupsOf({ group_by, buckets = [], releases = [], values = [] }: ReportView): Group[] {
  return [
    ...buckets.map(({ bucket, steps }) => ({ label: group_by === 'hour' ? minuteOf(bucket) : dayOf(bucket), steps })),
    ...releases.map(release => ({
      label: release.name ?? release.version ?? 'Before the first release',
      steps: release.steps,
    })),
    ...values.map(({ type, value, steps }) => ({ label: type === 'value' ? String(value) : `(${type})`, steps })),
  ];
}

function drawOmitted(count: number, kind: 'earlier' | 'smaller', y: number): Html {
  const groups = count === 1 ? `1 ${kind} group is` : `${count} ${kind} groups are`;
  return html`<text class="quiet" x="${margin}" y="${y - 6}">${groups} not shown</text>`;
}

function dayOf(timestamp: string): string {
  return days.format(Date.parse(timestamp));
}

function minuteOf(timestamp: string): string {
  return `${dayOf(timestamp)}, ${timestamp.slice(11, 16)}`;
}

function drawGroup(label: string, steps: readonly StepView[], y: number): Html {
  return html`<text class="quiet" x="${margin}" y="${y + 22}">${cut(label)}</text>
${steps.map((step, index) => drawStep(step, y + 34 + index * rowHeight))}`;
}

function drawStep({ step, name, users, from_first }: StepView, y: number): Html {
  const trackWidth = width - 2 * margin;
  const share = from_first ?? 0;
  const figure = `${users.toLocaleString('en')} · ${(share * 100).toFixed(1)} %`;
  const [textY, barY] = [y + 12, y + 18];
  const barWidth = Math.round(trackWidth * share);
  return html`<text x="${margin}" y="${textY}">${step}. ${cut(name)}</text>
<text x="${width - margin}" y="${textY}" text-anchor="end">${figure}</text>
<rect class="track" x="${margin}" y="${barY}" width="${trackWidth}" height="${barHeight}" rx="4"/>
<rect class="bar" x="${margin}" y="${barY}" width="${barWidth}" height="${barHeight}" rx="4"/>
`;
}

function cut(text: string): string {
  return text.length > labelLengthMax ? `${text.slice(0, labelLengthMax - 1).toWellFormed()}…` : text;
}
