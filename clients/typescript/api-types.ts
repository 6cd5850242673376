// Generated from the OpenAPI document by `npm run client`. Do not edit.

export interface paths {
    "/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify an API key
         * @description Costs no quota, needs no scope, and works with an exhausted quota or a disabled key. A key with allowed networks can only be verified from there.
         */
        get: operations["verifyKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/employees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List employees
         * @description In order of creation. The list is eventually consistent; use `min_position` to read your own write.
         */
        get: operations["listEmployees"];
        /**
         * Create or update several employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records. A record whose `external_id` finds an employee, or whose `email` does if it has no `external_id`, updates this employee as a JSON Merge Patch. Any other record creates an employee, unless `link_by_email` finds one.
         */
        put: operations["upsertEmployees"];
        /**
         * Create one or more employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records.
         */
        post: operations["createEmployees"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update several employees
         * @description Applies all records or none, unless `all_or_none` is `false`. A refusal lists the errors of all records. Uniqueness and reporting lines are checked on the state after the call, so two employees can swap emails.
         */
        patch: operations["updateEmployees"];
        trace?: never;
    };
    "/v1/employees/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one employee
         * @description Always current. An id of another company is treated like one that does not exist.
         */
        get: operations["readEmployee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update one employee
         * @description Applies a JSON Merge Patch. Set `status` to deactivate or reactivate the employee. Values that are already set are not changes.
         */
        patch: operations["updateEmployee"];
        trace?: never;
    };
    "/v1/employees/erased": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who was erased
         * @description The ids of erased employees, for copies that must erase them, too. Nothing else about them is left. An answer may have fewer employees than `limit`, or none, although `is_complete` is false.
         */
        get: operations["listErasedEmployees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List uploads, newest first
         * @description All uploads that are stored, on one page. Uploads are deleted after a day.
         */
        get: operations["listUploads"];
        put?: never;
        /**
         * Upload a file of employees
         * @description Stores a file for a day and previews it; nothing is applied yet. The file is CSV, a workbook (.xlsx, .xls, .ods), or JSON, whatever program wrote it and whatever the content type says. Rows that are no records, such as titles and totals, are left out, and listed in `left_out`. A file of more than `MAX_RECORDS` records is split into parts, each of which becomes one call. What its columns mean is proposed from their names and values, or as the company chose for the last file with the same columns: see `questions` and `needs_review`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an upload and its progress
         * @description What each part would do, and what became of it.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply an upload, or resume it
         * @description Each part becomes one call, which applies all of its rows or none; or, with `all_or_none=false`, all that can be applied. A file of one part is applied before the answer; of a larger one, part after part in the background. Repeating the request has no further effect.
         */
        post: operations["applyUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel what is still to come of an upload
         * @description What was applied stays applied. An upload that was not applied yet is deleted.
         */
        post: operations["cancelUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/mapping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what the columns of an upload mean
         * @description The mapping that the service proposed, or the one that was set last. Save it as a file to use it with `employee-ledger-client send --map`.
         */
        get: operations["getUploadMapping"];
        /**
         * Say what the columns of an upload mean
         * @description Before the file is applied, by the user who uploaded it. The preview is made again. How values are read is filled in from the values where the mapping says nothing. Once the file is applied, the mapping is remembered for the next file with the same columns.
         */
        put: operations["setUploadMapping"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/missing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the people whom an upload would deactivate
         * @description In the order of their creation. They are listed until they are deactivated.
         */
        get: operations["listMissing"];
        /**
         * Let an upload deactivate the people who are not in its file
         * @description Before the file is applied, by the user who uploaded it. The active people whom no row names, by an id, an external id, an email, or as a manager, are listed. Once all rows are applied, they are deactivated by update calls of their own; not if a row was not applied. Refused if the file may not show who is missing: it has rows that are refused, only creates people, or corrects entries. Repeat the request to list them again.
         */
        put: operations["deactivateMissing"];
        post?: never;
        /**
         * Let an upload deactivate nobody who is not in its file
         * @description Before the file is applied, by the user who uploaded it.
         */
        delete: operations["keepMissing"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/not-applied.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the rows of an upload that were not applied
         * @description All rows of refused, canceled, and waiting parts, and those that were left out of the others, to correct and upload again. A row that was refused has the id of its entry, and its errors.
         */
        get: operations["exportRowsNotApplied"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/parts/{number}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a part of an upload
         * @description The call of the part, validated and not applied: what it would do now, and its errors.
         */
        get: operations["previewUploadPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/uploads/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo an upload
         * @description Takes back all calls of an upload that is over, the last one first, in the background. The answer is an upload of its own, whose parts are these undos: each undoes what is possible, and has its own entry, which says what stays. Calls can be undone one by one, too.
         */
        post: operations["undoUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "api_call.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A writing call was completed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiCallCompletedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_call.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A writing call failed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiCallFailedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was created
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeCreatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attributes of an employee changed
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeUpdatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.deactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was deactivated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeDeactivatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.reactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee was reactivated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeReactivatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "employee.erased": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An employee's personal data were erased
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["EmployeeErasedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.issued": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was issued
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyIssuedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was changed, such as its name or quota
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyChangedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.rotated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The secret of an API key was rotated
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyRotatedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was disabled
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyDisabledMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.enabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was enabled
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyEnabledMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "api_key.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An API key was revoked
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["ApiKeyRevokedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "attention.raised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something began to need attention
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["AttentionRaisedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "attention.resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Something stopped needing attention
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["AttentionResolvedMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test message that an administrator sent
         * @description A POST to the URL of the webhook, signed as Standard Webhooks specifies.
         */
        post: operations["WebhookPingMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        ApiCallCompletedMessage: {
            /** @constant */
            type: "api_call.completed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                log_id: components["schemas"]["LogId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @enum {string} */
                operation?: "create" | "update_one" | "update_many" | "upsert" | "undo";
                /**
                 * @description Where the call came from.
                 * @enum {string}
                 */
                source?: "Public API" | "File upload" | "SCIM" | "Undo" | "By hand";
                counts?: components["schemas"]["CallCounts"];
                /** @description The id of the API key. */
                key_id?: string;
                /** @description The user who uploaded a file. Such a call has no `key_id`. */
                user_id?: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        ApiCallFailedMessage: {
            /** @constant */
            type: "api_call.failed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                log_id: components["schemas"]["LogId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @enum {string} */
                operation?: "create" | "update_one" | "update_many" | "upsert" | "undo";
                /**
                 * @description Where the call came from.
                 * @enum {string}
                 */
                source?: "Public API" | "File upload" | "SCIM" | "Undo" | "By hand";
                counts?: components["schemas"]["CallCounts"];
                /** @description The id of the API key. */
                key_id?: string;
                /** @description The user who uploaded a file. Such a call has no `key_id`. */
                user_id?: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The status that the call was answered with. */
                http_status?: number;
                /** @description The code of its problem. */
                code?: string;
                /** @description What was wrong. Only if the webhook includes data. */
                detail?: string;
            };
        };
        ApiKeyChangedMessage: {
            /** @constant */
            type: "api_key.changed";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyDisabledMessage: {
            /** @constant */
            type: "api_key.disabled";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyEnabledMessage: {
            /** @constant */
            type: "api_key.enabled";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyIssuedMessage: {
            /** @constant */
            type: "api_key.issued";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyRevokedMessage: {
            /** @constant */
            type: "api_key.revoked";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        ApiKeyRotatedMessage: {
            /** @constant */
            type: "api_key.rotated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the API key. */
                key_id: string;
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The id of the user who did it, or `operator`. */
                actor: string;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The data of the event. Only if the webhook includes data. */
                details?: {
                    [key: string]: unknown;
                };
            };
        };
        AttentionRaisedMessage: {
            /** @constant */
            type: "attention.raised";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The position of the event in the company's ledger. */
                position: number;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /**
                 * @description What is wrong, as in `GET /admin/v1/attention`. More kinds may be added.
                 * @enum {string}
                 */
                kind?: "ledger_disputed" | "ledger_unsigned" | "projection_parked" | "provider_failing" | "webhook_disabled" | "webhook_failing" | "quota_used" | "key_limit_reached" | "key_deactivated_many" | "fields_overwritten" | "key_expired" | "call_missing" | "calls_turned_away" | "calls_failed" | "records_refused" | "work_failing" | "quota_nearly_used" | "key_expiring" | "key_unused";
                /** @description The id of the key, webhook, identity provider, or read model. */
                subject_id?: string;
                /** @description The code with which calls failed. */
                code?: string;
            };
        };
        AttentionResolvedMessage: {
            /** @constant */
            type: "attention.resolved";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The position of the event in the company's ledger. */
                position: number;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /**
                 * @description What is wrong, as in `GET /admin/v1/attention`. More kinds may be added.
                 * @enum {string}
                 */
                kind?: "ledger_disputed" | "ledger_unsigned" | "projection_parked" | "provider_failing" | "webhook_disabled" | "webhook_failing" | "quota_used" | "key_limit_reached" | "key_deactivated_many" | "fields_overwritten" | "key_expired" | "call_missing" | "calls_turned_away" | "calls_failed" | "records_refused" | "work_failing" | "quota_nearly_used" | "key_expiring" | "key_unused";
                /** @description The id of the key, webhook, identity provider, or read model. */
                subject_id?: string;
                /** @description The code with which calls failed. */
                code?: string;
            };
        };
        CallCounts: {
            total: number;
            updated: number;
            deactivated: number;
            failed: number;
            no_updates: number;
        };
        CallWarning: {
            /** @enum {string} */
            code: "inactive_employees" | "past_termination_dates" | "inactive_managers";
            /** @description The number of records. */
            count: number;
            message: string;
        };
        /** @description With `validate_only`, `log_id` is absent, and the `id` of each employee is null. Only with `all_or_none=false`: `counts`, `results`, and, if there are more errors than are listed, `errors_omitted`; `employees` then has those that were created. With `all_or_none=false`, `id` is null if it is not known: of a record that failed, or of an employee that `validate_only` would create. */
        CreatedEmployees: {
            log_id?: components["schemas"]["LogId"];
            /** @description In the order sent. */
            employees: components["schemas"]["EmployeeAsCreated"][];
            counts?: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. `past_termination_dates`: active employees whose termination date has passed. `inactive_managers`: records that give active employees an inactive manager. Versions may add codes. */
            warnings?: components["schemas"]["CallWarning"][];
            /** @description In the order sent. */
            results?: components["schemas"]["PartlyAppliedRecord"][];
            /** @description The number of further errors. The first 16 of a record and 1000 of a call are listed. */
            errors_omitted?: number;
        };
        /** @description An employee. Every field is present, null when unset. */
        Employee: {
            id: components["schemas"]["EmployeeId"];
            first_name: string | null;
            last_name: string | null;
            /** Format: idn-email */
            email: string | null;
            external_id: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name: string | null;
            directory_external_id: string | null;
            employee_number: string | null;
            job_title: string | null;
            department: string | null;
            division: string | null;
            location: string | null;
            manager_id: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone: string | null;
            /** Format: date */
            start_date: string | null;
            /** Format: date */
            termination_date: string | null;
            /** @enum {string} */
            status: "active" | "inactive";
            /** @description Your own attributes. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: date-time
             * @description When an identity provider deleted the employee. Null for others, and once they are reactivated.
             */
            deprovisioned_at: string | null;
            version: number;
        };
        /** @description A new employee. With `validate_only`, the `id` is null, because it is assigned on creation. So is the `manager_id` if the same call creates the manager. */
        EmployeeAsCreated: {
            id: components["schemas"]["EmployeeId"] | null;
            first_name: string | null;
            last_name: string | null;
            /** Format: idn-email */
            email: string | null;
            external_id: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name: string | null;
            directory_external_id: string | null;
            employee_number: string | null;
            job_title: string | null;
            department: string | null;
            division: string | null;
            location: string | null;
            manager_id: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone: string | null;
            /** Format: date */
            start_date: string | null;
            /** Format: date */
            termination_date: string | null;
            /** @enum {string} */
            status: "active" | "inactive";
            /** @description Your own attributes. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: date-time
             * @description When an identity provider deleted the employee. Null for others, and once they are reactivated.
             */
            deprovisioned_at: string | null;
            version: number;
        };
        /** @description A JSON Merge Patch that also identifies its employee: by `id` if present, else by `external_id` unless null, else by `email`. One of them is required. The fields that do not identify the employee are new values. */
        EmployeeBulkPatch: {
            id?: components["schemas"]["EmployeeId"];
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name?: string | null;
            directory_external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        /** @description A new employee, with `first_name` or `last_name`, and `email`, `external_id`, or `user_name`. The manager may be another record of the same call. */
        EmployeeCreate: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name?: string | null;
            directory_external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description Default: `"active"`.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        EmployeeCreatedMessage: {
            /** @constant */
            type: "employee.created";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The names of the attributes. */
                changed?: string[];
                /** @description The attributes that were set. Only if the webhook includes data. */
                attributes?: {
                    [key: string]: unknown;
                };
            };
        };
        EmployeeDeactivatedMessage: {
            /** @constant */
            type: "employee.deactivated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        EmployeeErasedMessage: {
            /** @constant */
            type: "employee.erased";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        /** @description The id of an employee. A TypeID. */
        EmployeeId: string;
        EmployeeList: {
            items: components["schemas"]["Employee"][];
            /** @description Null on the last page. */
            next_cursor: string | null;
        };
        /** @description A JSON Merge Patch (RFC 7396): absent fields keep their value, null clears a field. */
        EmployeePatch: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name?: string | null;
            directory_external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        EmployeeReactivatedMessage: {
            /** @constant */
            type: "employee.reactivated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
            };
        };
        EmployeeUpdatedMessage: {
            /** @constant */
            type: "employee.updated";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                employee_id: components["schemas"]["EmployeeId"];
                /** @description The position of the event in the company's ledger. */
                position: number;
                /** @description The number of the event in the history of the employee. */
                version: number;
                log_id: components["schemas"]["LogId"] | null;
                /**
                 * @description Set if the data of the event have been erased: there are no names or values.
                 * @constant
                 */
                erased?: true;
                /** @description The names of the attributes. */
                changed?: string[];
                /** @description The old and the new value of each attribute. Only if the webhook includes data. */
                changes?: {
                    [key: string]: {
                        from: unknown;
                        to: unknown;
                    };
                };
            };
        };
        /** @description A JSON Merge Patch that identifies its employee by `external_id` unless null, else by `email`; one of them is required. If there is no such employee, the record creates one and needs `first_name` or `last_name`. */
        EmployeeUpsert: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description An email address. Stored in lower case and Unicode NFKC. */
            email?: string | null;
            external_id?: string | null;
            /** @description Unique under Unicode NFKC and lower case. Stored as it is spelled. */
            user_name?: string | null;
            directory_external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description A number in any usual spelling, with its country code unless the company has a country. Stored as E.164. */
            phone?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            start_date?: string | null;
            /** @description `YYYY-MM-DD`, or midnight of that day without a time zone or in UTC. */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee; `active` reactivates the employee.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Your own attributes. `null` removes one. The employee can have at most 32 after the call. A value takes the type that the attribute has if both types write it the same. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Identifies the manager by external id, instead of `manager_id`. */
            manager_external_id?: string | null;
            /** @description Identifies the manager by email, instead of `manager_id`. */
            manager_email?: string | null;
        };
        ErasedEmployees: {
            /** @description In the order of the erasures. Somebody who is erased again, by id, appears again. */
            employees: {
                id: components["schemas"]["EmployeeId"];
                /** @description The position of the erasure in the ledger. */
                position: number;
            }[];
            /** @description The position up to which the answer is complete: send it as `after` next time. */
            position: number;
            /** @description Whether this is everything until now. If not, ask again at once. */
            is_complete: boolean;
        };
        KeyVerification: {
            /** @description The company that owns the key. */
            company_name: string;
            /**
             * Format: date-time
             * @description The most recent call with this key before this one.
             */
            last_used: string;
            is_enabled: boolean;
            /** @description The number of requests allowed in each period. */
            quota_limit: number;
            /** @description The number of requests made in the current period. */
            requests_made: number;
            /**
             * @description The quota period: a calendar hour, day, week (from Monday) or month, in UTC.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
        };
        /** @description The id of a call and of its entry in Bulk User Logs. A TypeID. */
        LogId: string;
        /**
         * @description What the call did to the employee; `failed` if it refused the record.
         * @enum {string}
         */
        PartialResult: "created" | "synced" | "no_updates" | "reactivated" | "deactivated" | "failed";
        /** @description The answer with `all_or_none=false`, if at least one record was applied. Created employees count in `total` alone. With `validate_only`, `log_id` is absent. With `all_or_none=false`, `id` is null if it is not known: of a record that failed, or of an employee that `validate_only` would create. */
        PartlyApplied: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. `past_termination_dates`: active employees whose termination date has passed. `inactive_managers`: records that give active employees an inactive manager. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            /** @description In the order sent. */
            results: components["schemas"]["PartlyAppliedRecord"][];
            /** @description The number of further errors. The first 16 of a record and 1000 of a call are listed. */
            errors_omitted?: number;
        };
        PartlyAppliedRecord: {
            index: number;
            id: components["schemas"]["EmployeeId"] | null;
            status: ("active" | "inactive") | null;
            result: components["schemas"]["PartialResult"];
            /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
            changed: string[];
            /** @description The errors of a record that failed. Empty for any other. */
            errors: components["schemas"]["RecordError"][];
        };
        /** @description Why a call was refused (RFC 9457). `log_id` is present if the call has an entry in Bulk User Logs. */
        Problem: {
            /**
             * Format: uri-reference
             * @description The address of a page about the code.
             * @example /problems/validation_failed
             */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong, for programs. */
            code: string;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Same as the `X-Request-Id` header. */
            request_id: string;
            log_id?: components["schemas"]["LogId"];
            /** @description The errors in the order of the records: the first 16 of each record, and at most 1000 in total. */
            errors: components["schemas"]["RecordError"][];
            /** @description The number of errors left out. Absent if `errors` is complete. */
            errors_omitted?: number;
            /** @description What is to be chosen. Only of `file_ambiguous`. */
            question?: {
                /** @description The parameter to add to the request. */
                parameter: string;
                /** @description The likeliest first. */
                choices: {
                    /** @description The value of the parameter. */
                    value: string;
                    /** @description What people call it. */
                    name: string;
                    /** @description Texts of the file, read so. */
                    samples: string[];
                }[];
            };
        };
        RecordError: {
            /** @description Zero-based index of the record in the call. */
            index: number;
            /** @description The employee's id, if known. */
            id: string | null;
            /**
             * @description JSON Pointer (RFC 6901) into the body as sent. If the name of a field is longer than 256 characters, it points to the object that contains the field.
             * @example /employees/0/email
             */
            pointer: string;
            /**
             * @description - `required`: A required field is missing.
             *     - `invalid_type`: The value has the wrong JSON type.
             *     - `invalid_format`: The string has the wrong format.
             *     - `too_long`: Longer than the limit, or a record or `custom_attributes` with too many members. The message names the limit.
             *     - `too_short`: Shorter than the limit. The message names the limit.
             *     - `invalid_value`: The value is not allowed, or conflicts with another field.
             *     - `null_not_allowed`: The field cannot be null.
             *     - `unknown_field`: This field does not exist.
             *     - `read_only_field`: The field is read-only.
             *     - `missing_locator`: The record does not identify its employee.
             *     - `employee_not_found`: No such employee exists.
             *     - `already_exists`: Another employee has this value.
             *     - `inactive_employee_exists`: An inactive employee has this value. `id` is the id of that employee.
             *     - `duplicate_in_batch`: Another record of the call refers to the same employee, or has the same value.
             *     - `manager_not_found`: No employee matches this manager.
             *     - `manager_cycle`: The employee would report to themselves, directly or indirectly.
             * @enum {string}
             */
            code: "required" | "invalid_type" | "invalid_format" | "too_long" | "too_short" | "invalid_value" | "null_not_allowed" | "unknown_field" | "read_only_field" | "missing_locator" | "employee_not_found" | "already_exists" | "inactive_employee_exists" | "duplicate_in_batch" | "manager_not_found" | "manager_cycle";
            /** @description Describes the error and the limit. Never contains the value that was sent. */
            message: string;
        };
        /**
         * @description What an update did to the employee. If several apply, the first of deactivated, reactivated, synced and no_updates.
         * @enum {string}
         */
        RecordResult: "synced" | "no_updates" | "reactivated" | "deactivated";
        /**
         * Format: date-time
         * @description RFC 3339, UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description `log_id` is absent with `validate_only`. */
        UpdatedEmployee: {
            log_id?: components["schemas"]["LogId"];
            result: components["schemas"]["RecordResult"];
            /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
            changed: string[];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. `past_termination_dates`: active employees whose termination date has passed. `inactive_managers`: records that give active employees an inactive manager. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            employee: components["schemas"]["Employee"];
        };
        /** @description `log_id` is absent with `validate_only`. */
        UpdatedEmployees: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. `past_termination_dates`: active employees whose termination date has passed. `inactive_managers`: records that give active employees an inactive manager. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            results: {
                index: number;
                id: components["schemas"]["EmployeeId"];
                /**
                 * @description The employee's status after the call.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                result: components["schemas"]["RecordResult"];
                /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
                changed: string[];
            }[];
        };
        Upload: {
            /** @description `upl_…` */
            id: string;
            /**
             * @description `previewing`: what each part would do is being counted. `previewed`: it can be applied. `applying`: part after part becomes a call. `stopped`: its user is no longer an administrator; once they are again, apply it to resume. `ended`: every part was applied, refused, or canceled.
             * @enum {string}
             */
            state: "previewing" | "previewed" | "applying" | "stopped" | "ended";
            file_name: string;
            /** @enum {string} */
            operation: "upsert" | "update_many" | "create";
            /** @description Who uploaded the file. Only this user can apply it. */
            user_id: string;
            rows: number;
            /** @description Whether a row that cannot be applied keeps its part from being applied, once the upload is applied. */
            all_or_none: boolean;
            /** @description The ids of the failed entries that the file corrects. */
            corrects: string[];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the upload is deleted. Its entries stay.
             */
            expires_at: string;
            /** @description What the mapping leaves open. Rows cannot be read before it is answered, or `unreadable_values` is `leave_out`. */
            questions: {
                /**
                 * @description The member of the mapping, or of its column, that is null.
                 * @enum {string}
                 */
                about: "to" | "dates" | "clock" | "calendar" | "names" | "by" | "words" | "past_end_dates" | "country" | "unknown_managers" | "same_addresses" | "stored_end_dates";
                /** @description The place of the column in the mapping, from 1. */
                column?: number;
                header?: string;
                /**
                 * @description What the values of the column make likely.
                 * @enum {string}
                 */
                likely?: "id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing";
                /** @description Of each word of a column that may say who has left: how many rows have it, and how many of them an end date that has passed. What is sent is ignored. */
                seen?: {
                    [key: string]: {
                        rows?: number;
                        past_end_dates?: number;
                    };
                };
                /** @description The words whose meaning is open. */
                words?: string[];
                /** @description The other columns about which the same is asked. At most one of them is what is `likely`. */
                others?: {
                    column: number;
                    header?: string;
                    /**
                     * @description What the values of the column make likely.
                     * @enum {string}
                     */
                    likely?: "id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing";
                    /** @description Of each word of a column that may say who has left: how many rows have it, and how many of them an end date that has passed. What is sent is ignored. */
                    seen?: {
                        [key: string]: {
                            rows?: number;
                            past_end_dates?: number;
                        };
                    };
                }[];
                /** @description How many rows a question about the file concerns. */
                rows?: number;
            }[];
            /** @description Whether a person has to look at what the columns mean, before a program applies the file: it is proposed, or columns that the company used before are gone. `apply=true` applies no such file. Setting the mapping, or applying the file, says that somebody has looked. */
            needs_review: boolean;
            /** @description The line that names the columns. Null for JSON, and when it is not known any more. */
            header_row: number | null;
            /** @description What was left out, such as titles and totals. */
            left_out: {
                /** @description The first line, from 1; of a workbook, the row. */
                line: number | null;
                last_line: number | null;
                /** @enum {string} */
                reason: "separator_line" | "above_header" | "second_header" | "repeated_header" | "empty" | "total" | "heading" | "below_table" | "not_a_user" | "other_sheet" | "incomplete" | "secret_column" | "changed_columns" | "exchanged_dates" | "respelled_ids" | "other_people" | "exchanged_columns" | "formatting";
                message: string;
            }[];
            left_out_omitted: number;
            parts: {
                /** @description From 1. */
                number: number;
                /**
                 * @description Whether the rows are those of the file, or people who are not in it.
                 * @enum {string}
                 */
                kind: "rows" | "missing_people";
                /** @description From 1. The line that names the columns does not count. */
                first_row: number;
                rows: number;
                /** @description How many of the rows were erased with a person. */
                erased: number;
                counts: {
                    created: number;
                    changed: number;
                    unchanged: number;
                    refused: number;
                    unreadable: number;
                    inactive: number;
                } | null;
                /**
                 * @description What became of the part. A refused part changed nothing. One without a readable row has no entry.
                 * @enum {string}
                 */
                state: "waiting" | "applied" | "refused" | "canceled";
                /** @description The id that the entry of the part has, or will have. */
                log_id: string;
            }[];
            /** @description What became of the rows: `applied`, `refused`, `canceled`, `waiting`, and `erased` add up to `rows`, and `created`, `changed`, and `unchanged` to `applied`. `not-applied.csv` has the refused, canceled, and waiting ones. */
            summary: {
                /** @description The numbers in one line, to mail it. */
                text: string;
                rows: number;
                applied: number;
                created: number;
                changed: number;
                unchanged: number;
                refused: number;
                canceled: number;
                waiting: number;
                erased: number;
            };
        };
        UploadPreview: {
            /** @description From 1. */
            number: number;
            /** @description The rows by what a call would do to them without those that are refused or unreadable, which `all_or_none=false` leaves out. Of the changed and unchanged rows, `inactive` name inactive employees and set no status, so these stay inactive. */
            counts: {
                created: number;
                changed: number;
                unchanged: number;
                refused: number;
                unreadable: number;
                inactive: number;
            };
            /** @description The first errors. */
            errors: {
                row: number | null;
                line: number | null;
                /** @description JSON Pointer into the record; empty for the row itself, or a cell that cannot be read. */
                pointer: string;
                message: string;
            }[];
            errors_omitted: number;
            /** @description The first values that were left out, as the mapping says. */
            notes: {
                row: number | null;
                line: number | null;
                /** @description JSON Pointer into the record; empty for the row itself, or a cell that cannot be read. */
                pointer: string;
                message: string;
            }[];
            /** @description The columns that become nothing. */
            unknown_columns: string[];
            /** @description The rows whose managers are in earlier parts. The preview leaves these managers out. */
            rows_awaiting_managers: number;
        };
        /**
         * @description What the call did to the employee.
         * @enum {string}
         */
        UpsertResult: "created" | "synced" | "no_updates" | "reactivated" | "deactivated";
        /** @description Created employees count in `total` alone, and their `changed` is empty. With `validate_only`, `log_id` is absent, and the `id` of an employee that would be created is null. */
        UpsertedEmployees: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            /** @description What may have been overlooked. `inactive_employees`: records name inactive employees and set no status, so these stay inactive. `past_termination_dates`: active employees whose termination date has passed. `inactive_managers`: records that give active employees an inactive manager. Versions may add codes. */
            warnings: components["schemas"]["CallWarning"][];
            results: {
                index: number;
                id: components["schemas"]["EmployeeId"] | null;
                /**
                 * @description The employee's status after the call.
                 * @enum {string}
                 */
                status: "active" | "inactive";
                result: components["schemas"]["UpsertResult"];
                /** @description Names of the attributes that changed. A custom attribute is named like `custom_attributes.grade`. */
                changed: string[];
            }[];
        };
        WebhookPingMessage: {
            /** @constant */
            type: "webhook.ping";
            /**
             * Format: date-time
             * @description When it happened: when the event was recorded.
             */
            timestamp: string;
            data: {
                /** @description The id of the webhook. */
                webhook_id: string;
            };
        };
    };
    responses: {
        /**
         * @description `admin_only`: Only company administrators can do this.
         *
         *     `cross_site_request`: The request came from another site.
         *
         *     `role_required`: Your role does not allow this.
         */
        AdminAdminOnlyCrossSiteRequestRoleRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "admin_only" | "cross_site_request" | "role_required";
                };
            };
        };
        /**
         * @description `file_ambiguous`: The file can be read in several ways.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        AdminFileAmbiguousValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "file_ambiguous" | "validation_failed";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        AdminInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /**
         * @description `invalid_body`: The body has the wrong structure.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        AdminInvalidBodyInvalidQueryMalformedJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_body" | "invalid_query" | "malformed_json";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        AdminInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `invalid_query`: A query parameter is not valid. */
        AdminInvalidQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_query";
                };
            };
        };
        /**
         * @description `nothing_to_undo`: The call has changed nothing.
         *
         *     `too_many_uploads`: The company has the maximum number of uploads.
         */
        AdminNothingToUndoTooManyUploads: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "nothing_to_undo" | "too_many_uploads";
                };
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        AdminPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        AdminPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        AdminRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description `too_many_uploads`: The company has the maximum number of uploads. */
        AdminTooManyUploads: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "too_many_uploads";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        AdminUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        AdminUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 415;
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `upload_not_applicable`: The upload cannot be applied now. */
        AdminUploadNotApplicable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "upload_not_applicable";
                };
            };
        };
        /** @description `upload_not_found`: No such upload. */
        AdminUploadNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "upload_not_found";
                };
            };
        };
        /** @description `validation_failed`: One or more records are not valid. */
        AdminValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "validation_failed";
                };
            };
        };
        /** @description `address_not_allowed`: The API key may not be used from this address. */
        ApiAddressNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed";
                };
            };
        };
        /**
         * @description `address_not_allowed`: The API key may not be used from this address.
         *
         *     `key_disabled`: The API key is disabled.
         *
         *     `scope_missing`: The API key may not make this call.
         */
        ApiAddressNotAllowedKeyDisabledScopeMissing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed" | "key_disabled" | "scope_missing";
                };
            };
        };
        /**
         * @description `address_not_allowed`: The API key may not be used from this address.
         *
         *     `key_disabled`: The API key is disabled.
         *
         *     `scope_missing`: The API key may not make this call.
         */
        ApiCallAddressNotAllowedKeyDisabledScopeMissing: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "address_not_allowed" | "key_disabled" | "scope_missing";
                };
            };
        };
        /**
         * @description `already_exists`: An employee with these details already exists.
         *
         *     `idempotency_in_progress`: The first call with this idempotency key is still running.
         *
         *     `idempotency_response_expired`: The response stored for this idempotency key has expired.
         *
         *     `inactive_employee_exists`: An inactive employee with these details already exists.
         *
         *     `limit_reached`: The API key has reached its daily limit.
         */
        ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExistsLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "already_exists" | "idempotency_in_progress" | "idempotency_response_expired" | "inactive_employee_exists" | "limit_reached";
                };
            };
        };
        /**
         * @description `batch_too_large`: The call has too many records.
         *
         *     `payload_too_large`: The body is too large.
         */
        ApiCallBatchTooLargePayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "batch_too_large" | "payload_too_large";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        ApiCallEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /**
         * @description `empty_batch`: The call has no records.
         *
         *     `idempotency_key_reused`: The idempotency key was used with a different request.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "empty_batch" | "idempotency_key_reused" | "validation_failed";
                };
            };
        };
        /**
         * @description `idempotency_key_invalid`: The Idempotency-Key header is not valid.
         *
         *     `invalid_body`: The body has the wrong structure.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not valid JSON.
         */
        ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "idempotency_key_invalid" | "invalid_body" | "invalid_query" | "malformed_json";
                };
            };
        };
        /**
         * @description `idempotency_key_reused`: The idempotency key was used with a different request.
         *
         *     `validation_failed`: One or more records are not valid.
         */
        ApiCallIdempotencyKeyReusedValidationFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 422;
                    /** @enum {string} */
                    code?: "idempotency_key_reused" | "validation_failed";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        ApiCallInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        ApiCallInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `payload_too_large`: The body is too large. */
        ApiCallPayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 413;
                    /** @enum {string} */
                    code?: "payload_too_large";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        ApiCallPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /**
         * @description `quota_exceeded`: The API key has used up its quota.
         *
         *     `rate_limited`: Too many requests.
         */
        ApiCallQuotaExceededRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "quota_exceeded" | "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        ApiCallUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
        /** @description `unsupported_media_type`: The media type is not supported. */
        ApiCallUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 415;
                    /** @enum {string} */
                    code?: "unsupported_media_type";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        ApiEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "employee_not_found";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        ApiInternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 500;
                    /** @enum {string} */
                    code?: "internal_error";
                };
            };
        };
        /** @description `invalid_credentials`: The credentials are missing or invalid. */
        ApiInvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 401;
                    /** @enum {string} */
                    code?: "invalid_credentials";
                };
            };
        };
        /** @description `invalid_query`: A query parameter is not valid. */
        ApiInvalidQuery: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 400;
                    /** @enum {string} */
                    code?: "invalid_query";
                };
            };
        };
        /** @description `precondition_failed`: A condition of the request does not hold. */
        ApiPreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 412;
                    /** @enum {string} */
                    code?: "precondition_failed";
                };
            };
        };
        /**
         * @description `quota_exceeded`: The API key has used up its quota.
         *
         *     `rate_limited`: Too many requests.
         */
        ApiQuotaExceededRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "quota_exceeded" | "rate_limited";
                };
            };
        };
        /** @description `rate_limited`: Too many requests. */
        ApiRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 429;
                    /** @enum {string} */
                    code?: "rate_limited";
                };
            };
        };
        /** @description `unavailable`: The service is temporarily unavailable. */
        ApiUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 503;
                    /** @enum {string} */
                    code?: "unavailable";
                };
            };
        };
    };
    parameters: {
        /**
         * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
         * @example nightly-2026-11-20-batch-1
         */
        IdempotencyKey: string;
        /**
         * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
         * @example "1"
         */
        IfMatch: string;
        /**
         * @description Answer with the employee only if it has another version than this one: the `ETag` of an earlier response.
         * @example "1"
         */
        IfNoneMatch: string;
        /**
         * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
         * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
         */
        "webhook-id": string;
        /**
         * @description When this attempt was made, in seconds since 1970.
         * @example 1795359600
         */
        "webhook-timestamp": number;
        /**
         * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of the request: the client's own if it has 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one.
         * @example 7a165430-d4e7-4ff0-816e-44d0adc6327e
         */
        "X-Request-Id": string;
        /**
         * @description The key's quota: `q` requests in a window of `w` seconds.
         * @example "quota";q=10000;w=2592000
         */
        "RateLimit-Policy": string;
        /**
         * @description The key's remaining quota: `r` requests, and `t` seconds until the window ends.
         * @example "quota";r=9999;t=864000
         */
        RateLimit: string;
        /**
         * @description The position of the call's last event in the company's ledger. Send it as `min_position` to read your own write.
         * @example 42
         */
        "X-Ledger-Position": number;
        /** @description `true` if this is the stored response of the first call with the same `Idempotency-Key`. */
        "Idempotency-Replayed": "true";
        /**
         * @description The version of the employee, for `If-Match` and `If-None-Match`.
         * @example "1"
         */
        ETag: string;
        /** @description The path of the new resource. */
        Location: string;
        /**
         * @description Seconds to wait before trying again.
         * @example 1
         */
        "Retry-After": number;
        /** @description `identity` if the body was refused because it was compressed. */
        "Accept-Encoding": "identity";
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    verifyKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state and usage of the key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyVerification"];
                };
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowed"];
            429: components["responses"]["ApiRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    listEmployees: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Their status. */
                status?: "active" | "inactive";
                /** @description Their department, in any case. */
                department?: string;
                /** @description Their location, in any case. */
                location?: string;
                /** @description The id of their manager. */
                manager_id?: string;
                /** @description `no_external_id`: people without an external id. `ended`: active people whose termination date has passed, in the company's time zone. */
                only?: "no_external_id" | "ended";
                /** @description The employee with exactly this value now, including the latest commit. */
                email?: string;
                /** @description The employee with exactly this value now, including the latest commit. */
                external_id?: string;
                /** @description Changed at or after this time. The list is then in the order of the changes, and a page may have fewer employees than `limit`, or none, although `next_cursor` leads to another one. */
                updated_since?: string;
                /** @description Of creation, or with `updated_desc` the latest changes first, for clients that poll. What changes during paging may be missed, so a copy of all employees is kept with `updated_since`. */
                order?: "created" | "updated_desc";
                /** @description Only active employees whose termination date has passed, or whose manager is inactive. */
                warning?: "past_termination_dates" | "inactive_managers";
                /** @description Part of a name, email or external id. */
                q?: string;
                /** @description Wait up to 10 seconds for the list to include this `X-Ledger-Position`. */
                min_position?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmployeeList"];
                };
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowedKeyDisabledScopeMissing"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    upsertEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
                /** @description Whether a record whose `external_id` finds nobody updates the active employee who has its `email` and no `external_id`, who gets that `external_id`: for the first sync over people who were entered without one. Inactive employees and those with another `external_id` are conflicts, as without this parameter. */
                link_by_email?: boolean;
                /** @description Whether a record with a `start_date` after the `termination_date` that its employee has clears that date, if it sends none: for people who come back. Without it, such a record is refused. */
                clear_end_dates?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, or an array of records. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeUpsert"][];
                } | components["schemas"]["EmployeeUpsert"][];
            };
        };
        responses: {
            /** @description The result for each record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpsertedEmployees"] | components["schemas"]["PartlyApplied"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExistsLimitReached"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    createEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, an array of records, or a single record. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeCreate"][];
                } | components["schemas"]["EmployeeCreate"][] | components["schemas"]["EmployeeCreate"];
            };
        };
        responses: {
            /** @description With `validate_only`: the employees that would be created. With `all_or_none=false`: the result for each record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedEmployees"];
                };
            };
            /** @description The new employees. `Location` is present if there is only one. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedEmployees"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExistsLimitReached"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    updateEmployees: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
                /** @description Whether one bad record keeps all others from being applied. With `false`, the call applies every record that can be applied, and the answer has the errors of the others. If it can apply none, it fails as it does without this parameter. */
                all_or_none?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, or an array of records. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeBulkPatch"][];
                } | components["schemas"]["EmployeeBulkPatch"][];
                "application/merge-patch+json": {
                    employees: components["schemas"]["EmployeeBulkPatch"][];
                } | components["schemas"]["EmployeeBulkPatch"][];
            };
        };
        responses: {
            /** @description The result for each employee. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedEmployees"] | components["schemas"]["PartlyApplied"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExistsLimitReached"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallBatchTooLargePayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallEmptyBatchIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    readEmployee: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Answer with the employee only if it has another version than this one: the `ETag` of an earlier response.
                 * @example "1"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The employee's id.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The employee. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Employee"];
                };
            };
            /** @description The employee has a version that `If-None-Match` names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowedKeyDisabledScopeMissing"];
            404: components["responses"]["ApiEmployeeNotFound"];
            412: components["responses"]["ApiPreconditionFailed"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    updateEmployee: {
        parameters: {
            query?: {
                /** @description Return what would happen, and store neither a change nor a log entry. */
                validate_only?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to retry. Send 1 to 255 visible ASCII characters, and a new value for each new operation. A retry with the same key and the same request returns the first response and has no second effect. Use a random value without personal data: the service remembers used keys forever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Carry out the call only if the employee still has this version: the `ETag` of an earlier response, or `*`.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /**
                 * @description The employee's id.
                 * @example emp_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeePatch"];
                "application/merge-patch+json": components["schemas"]["EmployeePatch"];
            };
        };
        responses: {
            /** @description The result of the update. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedEmployee"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallAddressNotAllowedKeyDisabledScopeMissing"];
            404: components["responses"]["ApiCallEmployeeNotFound"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExistsLimitReached"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallPayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    listErasedEmployees: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description Only erasures after this position. */
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erased employees. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedEmployees"];
                };
            };
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiAddressNotAllowedKeyDisabledScopeMissing"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    listUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description `upl_…` */
                            id: string;
                            /**
                             * @description `previewing`: what each part would do is being counted. `previewed`: it can be applied. `applying`: part after part becomes a call. `stopped`: its user is no longer an administrator; once they are again, apply it to resume. `ended`: every part was applied, refused, or canceled.
                             * @enum {string}
                             */
                            state: "previewing" | "previewed" | "applying" | "stopped" | "ended";
                            file_name: string;
                            /** @enum {string} */
                            operation: "upsert" | "update_many" | "create";
                            /** @description Who uploaded the file. Only this user can apply it. */
                            user_id: string;
                            rows: number;
                            /** @description Whether a row that cannot be applied keeps its part from being applied, once the upload is applied. */
                            all_or_none: boolean;
                            /** @description The ids of the failed entries that the file corrects. */
                            corrects: string[];
                            /** Format: date-time */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description When the upload is deleted. Its entries stay.
                             */
                            expires_at: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    createUpload: {
        parameters: {
            query?: {
                /** @description The name of the file, for the log. A form has it already. */
                file_name?: string;
                /** @description What to do with the records, as `PUT`, `PATCH`, and `POST` of `/v1/employees` do. Default: what the calls asked for that the file corrects; `upsert` if they asked for different things, or if it corrects none. */
                operation?: "upsert" | "update_many" | "create";
                /** @description The encoding of a text file, such as `windows-1250` or `shift_jis`. Default: the `charset` of the content type; otherwise it is recognized, and the answer is `file_ambiguous` if several are likely. */
                encoding?: string;
                /** @description The name of the sheet of a workbook. Default: the one that has a table; the answer is `file_ambiguous` if several do. */
                sheet?: string;
                /** @description The line that names the columns, from 1; of a workbook, its row. Default: it is found. */
                header_row?: number;
                /** @description Apply the file without asking, if no question is open and all of its rows can be read, or any with `all_or_none=false`: as a scheduler does with files whose mapping the company has used before, or whose columns are named as the API names attributes. Otherwise, the file is only stored and previewed. */
                apply?: boolean;
                /** @description If `false`, the upload leaves out rows that it cannot read or apply, and applies all others. If `true`, one such row stops its whole part. An upload that is resumed keeps the value with which it began. */
                all_or_none?: boolean;
                /** @description The ids of the failed entries that the file corrects, separated by commas. Default: those in its column `log_id`. The column `index` says which records the rows are. Without it, a file that has as many rows as the entry has records, or refused records, has these, in the order of the call. */
                corrects?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
                "application/octet-stream": string;
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            409: components["responses"]["AdminTooManyUploads"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminFileAmbiguousValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    applyUpload: {
        parameters: {
            query?: {
                /** @description If `false`, the upload leaves out rows that it cannot read or apply, and applies all others. If `true`, one such row stops its whole part. An upload that is resumed keeps the value with which it began. */
                all_or_none?: boolean;
                /** @description How many people the upload may deactivate because they are not in its file: the `count` of their list. */
                deactivate?: number;
                /** @description How many people may have been deactivated otherwise since yesterday, if they and those of this file are more than one in ten: the `beside` of their list. */
                beside?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUploadMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the columns of a file mean, and how their values are read. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        columns: {
                            /** @description The name of the column, as the file has it. Columns with the same name follow in their order. */
                            header: string;
                            /** @description What the column becomes: an attribute, `full_name`, `manager`, `custom`, or `nothing`. `phone_country` says in which country local phone numbers of the row are. `last_name_prefix` stands before the last name: `van der`. `key` is what managers are named by, which is not stored. `as_named` sets the attribute that the column names, exactly as the cell is written. Null: a person has to decide. */
                            to: ("id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing") | null;
                            /** @description The name of a custom attribute. */
                            name?: string;
                            /**
                             * @description The type of a custom attribute.
                             * @enum {string}
                             */
                            type?: "text" | "number" | "boolean" | "as_written";
                            dates?: ("day_first" | "month_first" | "year_first") | null;
                            clock?: ("ignore" | "refuse") | null;
                            calendar?: ("gregorian" | "buddhist" | "islamic" | "persian" | "minguo") | null;
                            /** @description What each word of a status means, each mark at a name, and each text in the place of an end date. Words of statuses that are known in many languages need not be given. Of a column with more words, some stay open. The word of an empty cell is empty. */
                            words?: {
                                [key: string]: ("active" | "inactive") | null;
                            };
                            names?: ("first_last" | "last_first" | "one_last_name_first" | "one_first_name" | "one_last_name" | "capitals" | "one_character") | null;
                            by?: ("email" | "external_id" | "employee_number" | "full_name" | "key") | null;
                            /**
                             * @description What an empty cell of this column does.
                             * @enum {string}
                             */
                            empty_cells?: "keep" | "clear";
                            /**
                             * @description What the values make likely, if `to` is null. What is sent is ignored.
                             * @enum {string}
                             */
                            likely?: "id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing";
                            /** @description Of each word of a column that may say who has left: how many rows have it, and how many of them an end date that has passed. What is sent is ignored. */
                            seen?: {
                                [key: string]: {
                                    rows?: number;
                                    past_end_dates?: number;
                                };
                            };
                        }[];
                        /**
                         * @description Whether an empty cell keeps what a person has, or clears it. Default: `"keep"`.
                         * @enum {string}
                         */
                        empty_cells?: "keep" | "clear";
                        /**
                         * @description What happens to a value that cannot be read: its row is refused, or goes in without the value, unless it identifies a person, or is a termination date. Default: `"refuse"`.
                         * @enum {string}
                         */
                        unreadable_values?: "refuse" | "leave_out";
                        /**
                         * @description What happens to an email address that several people have: their rows are refused, or the later ones go in without the address. Default: `"refuse"`.
                         * @enum {string}
                         */
                        shared_emails?: "refuse" | "leave_out";
                        /** @description Default: `null`. */
                        past_end_dates?: ("keep" | "deactivate") | null;
                        /** @description The country (ISO 3166-1 alpha-2) of local phone numbers. `company`: that of the company. Null: a person has to decide, if it matters. Default: `"company"`. */
                        country?: string | null;
                        /** @description Default: `null`. */
                        unknown_managers?: ("refuse" | "leave_out") | null;
                        /** @description Default: `null`. */
                        same_addresses?: ("link" | "refuse") | null;
                        /** @description Default: `null`. */
                        stored_end_dates?: ("clear" | "refuse") | null;
                        /**
                         * @description For `send --map`: what becomes of columns that the mapping does not name.
                         * @enum {string}
                         */
                        other_columns?: "proposed" | "unused";
                        /** @description How many rows a choice is about that is null. What is sent is ignored. */
                        counts?: {
                            past_end_dates: number;
                            country: number;
                            unknown_managers: number;
                            same_addresses: number;
                            stored_end_dates: number;
                        };
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    setUploadMapping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    columns: {
                        /** @description The name of the column, as the file has it. Columns with the same name follow in their order. */
                        header: string;
                        /** @description What the column becomes: an attribute, `full_name`, `manager`, `custom`, or `nothing`. `phone_country` says in which country local phone numbers of the row are. `last_name_prefix` stands before the last name: `van der`. `key` is what managers are named by, which is not stored. `as_named` sets the attribute that the column names, exactly as the cell is written. Null: a person has to decide. */
                        to: ("id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing") | null;
                        /** @description The name of a custom attribute. */
                        name?: string;
                        /**
                         * @description The type of a custom attribute.
                         * @enum {string}
                         */
                        type?: "text" | "number" | "boolean" | "as_written";
                        dates?: ("day_first" | "month_first" | "year_first") | null;
                        clock?: ("ignore" | "refuse") | null;
                        calendar?: ("gregorian" | "buddhist" | "islamic" | "persian" | "minguo") | null;
                        /** @description What each word of a status means, each mark at a name, and each text in the place of an end date. Words of statuses that are known in many languages need not be given. Of a column with more words, some stay open. The word of an empty cell is empty. */
                        words?: {
                            [key: string]: ("active" | "inactive") | null;
                        };
                        names?: ("first_last" | "last_first" | "one_last_name_first" | "one_first_name" | "one_last_name" | "capitals" | "one_character") | null;
                        by?: ("email" | "external_id" | "employee_number" | "full_name" | "key") | null;
                        /**
                         * @description What an empty cell of this column does.
                         * @enum {string}
                         */
                        empty_cells?: "keep" | "clear";
                        /**
                         * @description What the values make likely, if `to` is null. What is sent is ignored.
                         * @enum {string}
                         */
                        likely?: "id" | "first_name" | "last_name" | "email" | "external_id" | "user_name" | "directory_external_id" | "employee_number" | "job_title" | "department" | "division" | "location" | "manager_id" | "manager_external_id" | "manager_email" | "start_date" | "termination_date" | "phone" | "status" | "full_name" | "manager" | "custom" | "phone_country" | "last_name_prefix" | "key" | "as_named" | "nothing";
                        /** @description Of each word of a column that may say who has left: how many rows have it, and how many of them an end date that has passed. What is sent is ignored. */
                        seen?: {
                            [key: string]: {
                                rows?: number;
                                past_end_dates?: number;
                            };
                        };
                    }[];
                    /**
                     * @description Whether an empty cell keeps what a person has, or clears it. Default: `"keep"`.
                     * @enum {string}
                     */
                    empty_cells?: "keep" | "clear";
                    /**
                     * @description What happens to a value that cannot be read: its row is refused, or goes in without the value, unless it identifies a person, or is a termination date. Default: `"refuse"`.
                     * @enum {string}
                     */
                    unreadable_values?: "refuse" | "leave_out";
                    /**
                     * @description What happens to an email address that several people have: their rows are refused, or the later ones go in without the address. Default: `"refuse"`.
                     * @enum {string}
                     */
                    shared_emails?: "refuse" | "leave_out";
                    /** @description Default: `null`. */
                    past_end_dates?: ("keep" | "deactivate") | null;
                    /** @description The country (ISO 3166-1 alpha-2) of local phone numbers. `company`: that of the company. Null: a person has to decide, if it matters. Default: `"company"`. */
                    country?: string | null;
                    /** @description Default: `null`. */
                    unknown_managers?: ("refuse" | "leave_out") | null;
                    /** @description Default: `null`. */
                    same_addresses?: ("link" | "refuse") | null;
                    /** @description Default: `null`. */
                    stored_end_dates?: ("clear" | "refuse") | null;
                    /**
                     * @description For `send --map`: what becomes of columns that the mapping does not name.
                     * @enum {string}
                     */
                    other_columns?: "proposed" | "unused";
                    /** @description How many rows a choice is about that is null. What is sent is ignored. */
                    counts?: {
                        past_end_dates: number;
                        country: number;
                        unknown_managers: number;
                        same_addresses: number;
                        stored_end_dates: number;
                    };
                };
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listMissing: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many people the upload would deactivate. */
                        count: number;
                        /** @description How many people were active when they were listed; 0 before. */
                        active: number;
                        /** @description How many people the company's other uploads of the last day deactivate because they are not in the files, and how many its API keys have deactivated today (UTC). */
                        beside: number;
                        items: {
                            id: string;
                            external_id: string | null;
                            email: string | null;
                            first_name: string | null;
                            last_name: string | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    deactivateMissing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many people the upload would deactivate. */
                        count: number;
                        /** @description How many people were active when they were listed; 0 before. */
                        active: number;
                        /** @description How many people the company's other uploads of the last day deactivate because they are not in the files, and how many its API keys have deactivated today (UTC). */
                        beside: number;
                    };
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    keepMissing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportRowsNotApplied: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    previewUploadPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
                /**
                 * @description The number of the part, from 1.
                 * @example 1
                 */
                number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadPreview"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminUploadNotApplicable"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    undoUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the upload.
                 * @example upl_01m7wqmfakeh492yss9pa6yb7t
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUploadNotFound"];
            409: components["responses"]["AdminNothingToUndoTooManyUploads"];
            412: components["responses"]["AdminPreconditionFailed"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    ApiCallCompletedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiCallCompletedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiCallFailedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiCallFailedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeCreatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeCreatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeUpdatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeUpdatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeDeactivatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeDeactivatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeReactivatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeReactivatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    EmployeeErasedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmployeeErasedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyIssuedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyIssuedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyChangedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChangedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyRotatedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotatedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyDisabledMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyDisabledMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyEnabledMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyEnabledMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ApiKeyRevokedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRevokedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    AttentionRaisedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttentionRaisedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    AttentionResolvedMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AttentionResolvedMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    WebhookPingMessage: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the message, the same for each attempt to deliver it. A receiver that has seen it ignores the message.
                 * @example msg_01m7wqmfakeh492yss9pa6yb7t_42
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When this attempt was made, in seconds since 1970.
                 * @example 1795359600
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description The signatures of `webhook-id`, `webhook-timestamp` and the body, each as `v1,` and Base64: one, or two separated by a space during a secret rotation.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPingMessage"];
            };
        };
        responses: {
            /** @description The receiver wants no more messages: the webhook is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The receiver has accepted the message. Anything else, or no answer in 10 seconds, is a retry. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
