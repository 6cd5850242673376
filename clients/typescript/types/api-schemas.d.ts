import type { components, operations } from './api-types.ts';
type Schemas = components['schemas'];
export type Employee = Schemas['Employee'];
export type EmployeeCreate = Schemas['EmployeeCreate'];
export type EmployeePatch = Schemas['EmployeePatch'];
export type EmployeeBulkPatch = Schemas['EmployeeBulkPatch'];
export type EmployeeUpsert = Schemas['EmployeeUpsert'];
/** Employees that were created. */
export type CreatedEmployees = {
    log_id: string;
    employees: Employee[];
};
/** Employees that would be created: without `log_id`, and without ids. */
export type CreatableEmployees = {
    employees: (Omit<Employee, 'id'> & {
        id: null;
    })[];
};
export type UpdatedEmployee = Schemas['UpdatedEmployee'];
export type UpdatedEmployees = Schemas['UpdatedEmployees'];
export type UpsertedEmployees = Schemas['UpsertedEmployees'];
/** The answer of a bulk call with `allOrNone: false` that applied at least one record. */
export type PartlyApplied = Schemas['PartlyApplied'];
/** The same of a creation, with the employees that were created. */
export type PartlyCreated = PartlyApplied & Pick<Schemas['CreatedEmployees'], 'employees'>;
export type EmployeeList = Schemas['EmployeeList'];
export type KeyVerification = Schemas['KeyVerification'];
export type Problem = Schemas['Problem'];
export type RecordError = Schemas['RecordError'];
/** The filters and the page of a list. */
export type EmployeeQuery = NonNullable<operations['listEmployees']['parameters']['query']>;
type Call = 'createEmployees' | 'upsertEmployees' | 'updateEmployee' | 'updateEmployees' | 'readEmployee' | 'listEmployees' | 'verifyKey';
type Answers<T> = T extends {
    responses: infer R;
} ? R[keyof R] : never;
type CodeOf<T> = T extends {
    content: {
        'application/problem+json': {
            code: infer C;
        };
    };
} ? C : never;
/** The error codes that the API documents for the calls of this client. A later version may have more. */
export type ApiErrorCode = CodeOf<Answers<operations[Call]>>;
export {};
