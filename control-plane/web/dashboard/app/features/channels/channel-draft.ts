import type { Channel, ChannelPost } from '../../session/api-types.ts';
import { type ChannelField, type ChannelType, channelTypes } from './channel-fields.ts';

/** A channel while it is edited: the members of `config` as texts, by their names. */
export type ChannelDraft = {
  name: string;
  type: ChannelType;
  detail: Channel['detail'];
  enabled: boolean;
  config: Readonly<Record<string, string>>;
};

export function newChannel(type: ChannelType): ChannelDraft {
  const config = Object.fromEntries(channelTypes[type].fields.map(({ name, initial = '' }) => [name, initial]));
  return { name: '', type, detail: channelTypes[type].detail, enabled: true, config };
}

/** Secrets stand as the API masks them: untouched they are kept. */
export function draftOfChannel({ name, type, detail, enabled, config }: Channel): ChannelDraft {
  const fields = channelTypes[type].fields;
  return {
    name,
    type,
    detail,
    enabled,
    config: Object.fromEntries(fields.map(field => [field.name, textOf(field, config[field.name])])),
  };
}

/** The body of POST. */
export function channelBody(draft: ChannelDraft): ChannelPost {
  const { name, type, detail, enabled } = draft;
  // Which config belongs to which type is what the table of fields says.
  return { name: name.trim(), type, detail, enabled, config: configOf(draft) } as ChannelPost;
}

/** The fields that differ; `config` goes as a whole. */
export function channelChanges(before: ChannelDraft, after: ChannelDraft): Partial<Omit<ChannelPost, 'type'>> {
  const [old, now] = [channelBody(before), channelBody(after)];
  const names = ['name', 'detail', 'enabled', 'config'] as const;
  const changed = names.filter(name => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(changed.map(name => [name, now[name]]));
}

/** What of a draft may stay in the tab's storage: of secrets that they are set, if they were. */
export function withoutSecrets(start: ChannelDraft): (draft: ChannelDraft) => ChannelDraft {
  return draft => {
    const kept = ({ name, isSecret }: ChannelField) => (isSecret === true ? start : draft).config[name] ?? '';
    const fields = channelTypes[draft.type].fields.map(field => [field.name, kept(field)] as const);
    return { ...draft, config: Object.fromEntries(fields) };
  };
}

function configOf({ type, config }: ChannelDraft): Record<string, unknown> {
  return Object.fromEntries(
    channelTypes[type].fields.map(field => [field.name, valueOfText(field, config[field.name] ?? '')]),
  );
}

function textOf({ kind }: ChannelField, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'list') return (value as string[]).join('\n');
  if (kind === 'pairs')
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n');
  return String(value);
}

function valueOfText({ kind, isOptional }: ChannelField, text: string): unknown {
  switch (kind) {
    case 'list':
      return linesOf(text);
    case 'pairs':
      return Object.fromEntries(linesOf(text).map(pairOf));
    case 'area':
      return text;
    case 'number':
      return text.trim() === '' ? null : Number(text);
    default:
      return text.trim() === '' && isOptional === true ? null : text.trim();
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
}

function pairOf(line: string): [name: string, value: string] {
  const at = line.indexOf(':');
  return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
