import manifest from '../package.json' with { type: 'json' };

/** Version of this agent, as hello and the default User-Agent name it. */
export const version: string = manifest.version;
