/** The TypeScript client of the Parley API. */
export type { CallOptions, KeyedOptions, Page, Pagination } from './call.ts';
export { type Client, type ClientOptions, createClient, type RequestHeaders } from './client.ts';
export { type Issue, ParleyError } from './error.ts';
export * from './generated/operations.ts';
export type * from './generated/types.ts';
export { items, pages } from './pages.ts';
export { type EventStream, type StreamOptions, type StreamState, streamEvents } from './stream.ts';
export { verifyWebhook, WebhookError } from './webhook.ts';
