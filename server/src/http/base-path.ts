/** The path before every other as browsers see it, without a slash at its end. Empty without a reverse proxy under a path. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '');
