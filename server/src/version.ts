import manifest from '../package.json' with { type: 'json' };

/** The version of the server. The version of the API is its major and minor part. */
export const version = manifest.version;
