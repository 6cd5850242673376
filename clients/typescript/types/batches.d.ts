import type { AbortSignal } from './web-types.ts';
export interface BatchOptions {
    /**
     * Names the whole run. A repeated run with the same name gets the stored answers for the calls that it repeats
     * unchanged. Use a random name: the idempotency keys are derived from it, and nobody must be able to guess them.
     */
    run?: string | undefined;
    /** The service's `MAX_RECORDS`. Absent: its default. */
    maxRecords?: number | undefined;
    /** The service's `BODY_LIMIT`: 8 MiB by default. */
    maxBytes?: number | undefined;
    /** Stops before the next attempt, and aborts the running one. */
    signal?: AbortSignal | undefined;
}
/** Records in any number. An async iterable is read only as far as the calls have come. */
export type Records<T> = Iterable<T> | AsyncIterable<T>;
/** The answer of one call of a batch. `index` in its results counts all records that were given. */
export type Batch<T> = T & {
    /** The index of the call's first record. */
    first: number;
};
/** The answers of a batch, each when it is asked for. */
export type Batches<T> = AsyncGenerator<Batch<T>, void, undefined>;
/** The records of one call. */
interface Cut<T> {
    /** The index of the first one. */
    first: number;
    records: T[];
    /** The call's idempotency key. */
    key: string;
}
type Write<T, A> = (records: T[], options: {
    idempotencyKey: string;
    signal: AbortSignal | undefined;
}) => Promise<A>;
/**
 * Writes records in as few calls as the limits allow, one after the other, and yields the answer of each. The next call
 * is sent when the next answer is asked for. It throws at the first call that fails.
 */
export declare function inBatches<T, A extends object>(operation: string, given: Records<T>, options: BatchOptions, write: Write<T, A>): Batches<A>;
/** The records of a call that the service accepts unless its `MAX_RECORDS` says otherwise. */
export declare const MAX_RECORDS = 1000;
/** Cuts records into calls. `first` is the index of the first record: greater than 0 if a run goes on. */
export declare function cutBatches<T>(operation: string, given: Records<T>, { run, maxRecords, maxBytes, first: next, }: BatchOptions & {
    first?: number;
}, toJson: (record: T) => string): AsyncGenerator<Cut<T>, void, undefined>;
export {};
