import type { AbortSignal, Fetch, Request, Response } from './web-types.ts';
/** Time and chance, so that tests can decide them. */
export interface Clock {
    /** Milliseconds since 1970. */
    now(): number;
    /** Ends early, by a rejection, when the signal is aborted. */
    sleep(ms: number, signal?: AbortSignal): Promise<unknown>;
    /** At least 0 and less than 1. */
    random(): number;
}
export declare const SYSTEM_CLOCK: Clock;
/** The bounds of a call. */
export interface AttemptSettings {
    /** How often a call is sent at most. */
    attempts: number;
    /** How long one attempt may take. */
    timeoutMs: number;
    /** How long all attempts of a call and the pauses between them may take. */
    totalMs: number;
    fetch: Fetch;
    clock: Clock;
}
/** What an attempt passes on to the transport. */
export interface AttemptInit {
    signal: AbortSignal;
    fetch: (request: Request) => Promise<Response>;
}
interface Sent<T> {
    data?: T;
    error?: unknown;
    response: Response;
}
interface Call<T> {
    isWriting: boolean;
    signal: AbortSignal | undefined;
    send: (init: AttemptInit) => Promise<Sent<T>>;
}
/**
 * Sends a call until it succeeds, is refused, or has used up its attempts or its time. The call must have the same
 * effect however often it arrives.
 */
export declare function sendWithRetries<T>(call: Call<T>, settings: AttemptSettings): Promise<{
    data: T;
    response: Response;
}>;
export {};
