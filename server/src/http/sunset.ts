import { ApiError } from '../base/errors.ts';

/** Said with every answer about version 2: since when it is deprecated, when it ended, and what came after it. */
export const SUNSET_HEADERS = {
  deprecation: '@1785542400',
  sunset: 'Mon, 02 Nov 2026 00:00:00 GMT',
  link: '</docs>; rel="successor-version"',
};

/** Version 2 is past its last day of service, whatever its path and whoever asks. */
export const isSunset = (url: string): boolean => /^\/v2(?:[/?#]|$)/.test(url);

export const sunsetError = (): ApiError =>
  new ApiError('api_version_sunset', {
    detail: 'version 2 ended on 1 November 2026; use the operations under /v3, which /docs describes',
  });
