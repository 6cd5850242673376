import type * as api from './api-schemas.ts';
import type { AttemptSettings } from './attempts.ts';
import type { Batches, BatchOptions, Records } from './batches.ts';
import type { AbortSignal } from './web-types.ts';
/** Where the service is, whose key it is, and the bounds of each call. */
export interface ClientSettings extends Partial<AttemptSettings> {
    baseUrl: string;
    apiId: string;
    apiKey: string;
}
export interface CallOptions {
    /** Aborts the call: it rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
}
export interface WriteOptions extends CallOptions {
    /** A random one by default. Pass your own to repeat a call safely in another process. */
    idempotencyKey?: string | undefined;
    /** Answers what would happen, and stores nothing. */
    validateOnly?: boolean | undefined;
}
export interface BulkOptions extends WriteOptions {
    /** With `false`, the call applies every record that can be applied, and answers with the errors of the others. */
    allOrNone?: boolean | undefined;
}
export interface UpsertOptions extends BulkOptions {
    /**
     * With `true`, a record whose `external_id` finds nobody updates the active employee who has its `email` and no
     * `external_id`, who gets that `external_id`.
     */
    linkByEmail?: boolean | undefined;
    /**
     * With `true`, a record with a `start_date` after the `termination_date` that its employee has clears that date, if it
     * sends none: for people who come back.
     */
    clearEndDates?: boolean | undefined;
}
/** Of a batch of upserts, the same for all of its calls. */
type LinkingAll = Pick<UpsertOptions, 'linkByEmail' | 'clearEndDates'>;
/** A call that applies what can be applied. It rejects, as any other, if that is nothing. */
type Partly = BulkOptions & {
    allOrNone: false;
};
type Wholly = BulkOptions & {
    allOrNone?: true | undefined;
};
type PartlyAll = BatchOptions & {
    allOrNone: false;
};
type WhollyAll = BatchOptions & {
    allOrNone?: true | undefined;
};
export interface UpdateOptions extends WriteOptions {
    /** Updates the employee only in this `version`: throws a `ConflictError` (`precondition_failed`) otherwise. */
    ifVersion?: number | undefined;
}
/** The answer of a writing call. */
export type Written<T> = T & {
    /** The position of the change in the ledger, for `min_position`; null if nothing was stored. */
    position: number | null;
    /** Whether this is the stored answer of an earlier call with the same idempotency key. */
    replayed: boolean;
};
/** A client of the public API. */
export declare class EmployeeClient {
    #private;
    /** Throws TypeError if `apiId` or `apiKey` cannot be sent in a header, for example because of a line feed. */
    constructor({ baseUrl, apiId, apiKey, ...settings }: ClientSettings);
    /** Creates employees: all of them, or none, unless `allOrNone` is false. */
    create(employees: api.EmployeeCreate[], options: Partly): Promise<Written<api.PartlyCreated>>;
    create(employees: api.EmployeeCreate[], options: Wholly & {
        validateOnly: true;
    }): Promise<Written<api.CreatableEmployees>>;
    create(employees: api.EmployeeCreate[], options?: Wholly & {
        validateOnly?: false | undefined;
    }): Promise<Written<api.CreatedEmployees>>;
    /** Creates the employees that do not exist, and updates the others: all, or none, unless `allOrNone` is false. */
    upsert(employees: api.EmployeeUpsert[], options: UpsertOptions & Partly): Promise<Written<api.PartlyApplied>>;
    upsert(employees: api.EmployeeUpsert[], options?: UpsertOptions & Wholly): Promise<Written<api.UpsertedEmployees>>;
    /** Updates one employee with a JSON Merge Patch. */
    update(id: string, body: api.EmployeePatch, options?: UpdateOptions): Promise<Written<api.UpdatedEmployee>>;
    /**
     * Updates several employees, each found by its `id`, else `external_id`, else `email`: all, or none, unless
     * `allOrNone` is false.
     */
    updateMany(employees: api.EmployeeBulkPatch[], options: Partly): Promise<Written<api.PartlyApplied>>;
    updateMany(employees: api.EmployeeBulkPatch[], options?: Wholly): Promise<Written<api.UpdatedEmployees>>;
    /** Creates any number of employees, in as many calls as needed, each of which is as `create`. */
    createAll(employees: Records<api.EmployeeCreate>, options: PartlyAll): Batches<Written<api.PartlyCreated>>;
    createAll(employees: Records<api.EmployeeCreate>, options?: WhollyAll): Batches<Written<api.CreatedEmployees>>;
    /** Upserts any number of employees, in as many calls as needed, each of which is as `upsert`. */
    upsertAll(employees: Records<api.EmployeeUpsert>, options: PartlyAll & LinkingAll): Batches<Written<api.PartlyApplied>>;
    upsertAll(employees: Records<api.EmployeeUpsert>, options?: WhollyAll & LinkingAll): Batches<Written<api.UpsertedEmployees>>;
    /** Updates any number of employees, in as many calls as needed, each of which is as `updateMany`. */
    updateAll(employees: Records<api.EmployeeBulkPatch>, options: PartlyAll): Batches<Written<api.PartlyApplied>>;
    updateAll(employees: Records<api.EmployeeBulkPatch>, options?: WhollyAll): Batches<Written<api.UpdatedEmployees>>;
    /** Reads one employee. The answer is always current. */
    get(id: string, options?: CallOptions): Promise<api.Employee>;
    /** Reads one page of the employees. */
    list(query?: api.EmployeeQuery, options?: CallOptions): Promise<api.EmployeeList>;
    /** Reads all employees that match, page by page as they are asked for. */
    employees(query?: api.EmployeeQuery, options?: CallOptions): AsyncGenerator<api.Employee, void, undefined>;
    /** Reads the company, the quota, and the use of the key. Costs no quota. */
    verifyKey(options?: CallOptions): Promise<api.KeyVerification>;
}
/** Creates a client of the public API. */
export declare function createEmployeeClient(settings: ClientSettings): EmployeeClient;
export {};
