import manifest from '../package.json' with { type: 'json' };

/** The server's version; the API's is its major and minor part. */
export const version = manifest.version;
