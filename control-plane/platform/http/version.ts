import packageJson from '../../../package.json' with { type: 'json' };

/** The version of the control plane. */
export const version = packageJson.version;
