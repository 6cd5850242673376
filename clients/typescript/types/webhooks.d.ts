import type { webhooks } from './api-types.ts';
import type { Headers } from './web-types.ts';
/** The types of messages. A later version of the service may send more: ignore those that you do not know. */
export type WebhookType = keyof webhooks;
/** A message of one of these types, as the service's OpenAPI document describes it. */
export type WebhookMessage<Type extends WebhookType = WebhookType> = {
    [Each in Type]: NonNullable<webhooks[Each]['post']['requestBody']>['content']['application/json'];
}[Type];
/** The headers of a request: of `fetch`, or of Node's `http`. */
type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>;
/** The message was not signed with any of the secrets, is too old or too new, or is no message at all. */
export declare class WebhookVerificationError extends Error {
    readonly name = "WebhookVerificationError";
}
/**
 * Verifies a message and returns it. `payload` is the raw body, before any parsing. During a secret rotation, pass both
 * secrets. Throws WebhookVerificationError.
 */
export declare function verifyWebhook(payload: string | Uint8Array, headers: ReceivedHeaders, secrets: string | readonly string[]): WebhookMessage;
export {};
