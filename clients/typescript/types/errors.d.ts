import type { ApiErrorCode, RecordError } from './api-schemas.ts';
import type { Response } from './web-types.ts';
/**
 * `timed_out` and `connection_failed`: no answer came. `unexpected_answer`: not one of the API, but of a proxy, say.
 */
type OwnErrorCode = 'timed_out' | 'connection_failed' | 'unexpected_answer';
/** A documented code, one of this client, or one that a later version of the API has added. */
export type ErrorCode = ApiErrorCode | OwnErrorCode | (string & {});
interface ErrorFacts {
    status: number | null;
    code: ErrorCode;
    title: string;
    detail: string;
    requestId?: string | undefined;
    logId?: string | undefined;
    errors?: RecordError[];
    errorsOmitted?: number | undefined;
    retryAfter?: number | undefined;
    mayHaveTakenEffect?: boolean;
    cause?: unknown;
}
/** A call that did not succeed. Its subclasses are what a program can act on; `code` says precisely what happened. */
export declare class EmployeeLedgerError extends Error {
    /** The HTTP status; null without an answer. */
    readonly status: number | null;
    readonly code: ErrorCode;
    readonly title: string;
    readonly detail: string;
    /** What to tell the operator of the service. */
    readonly requestId: string | null;
    /** The entry of the call in Bulk User Logs. */
    readonly logId: string | null;
    /** The errors of the records. In a batch, `index` and `pointer` count all records that were given to it. */
    readonly errors: readonly RecordError[];
    /** How many more errors there are than `errors` lists. */
    readonly errorsOmitted: number;
    /** How many seconds the service asked to wait. */
    readonly retryAfter: number | null;
    /** Whether a writing call may have taken effect: its answer was lost, or never came. */
    readonly mayHaveTakenEffect: boolean;
    /** In a batch: the first and the last record of the failed call. All records before `first` took effect. */
    readonly records: {
        first: number;
        last: number;
    } | null;
    constructor(facts: ErrorFacts);
}
/** The request or its records are faulty: correct them before sending them again. */
export declare class ValidationError extends EmployeeLedgerError {
}
/** The records contradict the employees that exist, or the employee has changed since it was read. */
export declare class ConflictError extends EmployeeLedgerError {
}
/** The API id and key are not valid, or expired. */
export declare class AuthenticationError extends EmployeeLedgerError {
}
/** The key is valid, but must not do this. */
export declare class PermissionError extends EmployeeLedgerError {
}
/** No such employee, or no such route. */
export declare class NotFoundError extends EmployeeLedgerError {
}
/** The quota or a rate limit is reached: wait for `retryAfter` seconds. */
export declare class RateLimitError extends EmployeeLedgerError {
}
/** The idempotency key is still in use, was used for another request, or its answer is no longer stored. */
export declare class IdempotencyError extends EmployeeLedgerError {
}
/** No answer came. */
export declare class ConnectionError extends EmployeeLedgerError {
}
/** Makes the error of an answer. `wasLost` says whether an attempt of the same writing call had an unknown outcome. */
export declare function answerError(response: Response, body: unknown, { retryAfter, wasLost }: {
    retryAfter: number | null;
    wasLost: boolean;
}): EmployeeLedgerError;
/** Makes the error of an attempt without an answer. */
export declare function connectionError(cause: unknown, isTimeout: boolean, wasLost: boolean): ConnectionError;
/** Whether an answer has the type of those of the API. */
export declare function isOfApi({ headers }: Response): boolean;
export {};
