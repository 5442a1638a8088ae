import type { Message } from '../../message.ts';
import type { TemplateValues } from './template.ts';

/** What a template can name. */
export function templateValues({ notice, ...message }: Message): TemplateValues {
  const [first] = notice.members;
  return {
    step: message.step,
    title: message.title,
    text: message.lines.join('\n'),
    alert: first?.alert ?? null,
    group: notice.group,
    monitor: first === undefined ? null : { ...first.monitor, labels: first.alert.labels },
    links: { alert: message.url, acknowledge: message.acknowledgeUrl },
    project: notice.project,
  };
}
