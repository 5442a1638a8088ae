import { channelForms } from '#control-plane/web/api-client/channel-forms.ts';
import type { Channel } from '../../session/api-types.ts';

export type ChannelType = Channel['type'];
export type ChannelField = (typeof channelForms)[ChannelType]['fields'][number];

/** What each type is called, what it is for, and what it needs. */
export const channelTypes = channelForms;

export const channelTypeNames = Object.keys(channelForms) as ChannelType[];
