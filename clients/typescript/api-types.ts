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
         * @description Costs no quota, works at an exhausted one, and answers for a disabled key too.
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
         * @description In the order of their creation, from a read model that follows the writes at a short distance.
         */
        get: operations["listEmployees"];
        put?: never;
        /**
         * Create one or more employees
         * @description All records are applied, or none. A refusal names every fault of every record.
         */
        post: operations["createEmployees"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update several employees
         * @description All records are applied, or none. A refusal names every fault of every record. Uniqueness and managers are judged on the state after the call: two employees may swap their e-mails.
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
         * @description As the last commit left it. An id of another company is answered like one that does not exist.
         */
        get: operations["readEmployee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update one employee
         * @description By a JSON Merge Patch. `status` deactivates and reactivates; what the employee already has is no change.
         */
        patch: operations["updateEmployee"];
        trace?: never;
    };
    "/admin/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API keys of the company, newest first */
        get: operations["listApiKeys"];
        put?: never;
        /** Issue an API key; its secret is shown once */
        post: operations["issueApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One API key, with its usage */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Rename an API key, or change its quota */
        patch: operations["editApiKey"];
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable an API key: its calls are refused until it is enabled */
        post: operations["disableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable a disabled API key */
        post: operations["enableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Revoke an API key for ever: all of its secrets end */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give an API key a new secret, which is shown once */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the entries of Bulk User Logs, newest first */
        get: operations["listBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the entries of Bulk User Logs as CSV, newest first
         * @description The rows are streamed while they are read. A cell that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a carriage return) has an apostrophe before it.
         */
        get: operations["exportBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get one entry of Bulk User Logs */
        get: operations["getBulkUserLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the records of an entry, in the order of the call */
        get: operations["listBulkUserLogRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/{log_id}/records.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the records of an entry as CSV, in the order of the call
         * @description The rows are streamed while they are read. A cell that a spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a carriage return) has an apostrophe before it.
         */
        get: operations["exportBulkUserLogRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/bulk-user-logs/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Bulk User Logs live (server-sent events)
         * @description Each new entry is one event: its data the entry as in the list, its id the cursor of that entry. The stream begins after the event with the id of `Last-Event-ID`, else after `cursor`, else with what is new. It ends from time to time, and when the rights of its user end: open it again with the last id. Comments show that it is alive.
         */
        get: operations["streamBulkUserLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/company": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The company and its settings */
        get: operations["getCompany"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the company's time zone */
        patch: operations["changeCompany"];
        trace?: never;
    };
    "/admin/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget a person, for ever
         * @description Erases what the ledger holds of an employee, and of refused records in which their id stands, or an e-mail address or external id that they have or had. It cannot be undone. Ids, counts and hashes stay, so every proof still verifies; Bulk User Logs shows the records as erased. A second time there is nothing left: 404.
         */
        post: operations["erasePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set the password by the one-time token of an invitation or a reset, which has then served its time */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your tokens, newest first; for administrators those of another user too */
        get: operations["listTokens"];
        put?: never;
        /** Issue a token to yourself; it is shown once */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token of yours; anybody's for administrators */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the creating and updating calls and their records by day, operation and outcome
         * @description At most 366 days at once. Days without calls are left out.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The users of the company, newest first */
        get: operations["listUsers"];
        put?: never;
        /** Invite a user, who sets the password by a one-time token; the token is shown once, for you to pass on */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user, also a removed one */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /** Remove a user, whose tokens end at once */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /** Change a user's role */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/admin/v1/users/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget a removed user, for ever: name, e-mail address and tokens
         * @description What was done under the id stays. It cannot be undone; a second time nothing happens any more.
         */
        post: operations["eraseUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Void the password and any invitation, and make a new one-time token, which is shown once */
        post: operations["resetUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign the head of the ledger as it is now
         * @description A C2SP `tlog-checkpoint`: the size of the ledger and the root of its Merkle tree (RFC 6962), signed with Ed25519. Whoever keeps it can tell later whether anything up to there was changed. When the ledger is shorter than, or another one than, the last checkpoint that the service keeps outside its database, nothing is signed: 503.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/employees/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an employee as it was at a position or an instant, with the event that made each attribute what it is
         * @description An employee who was not created yet is not found, nor is one whose data have been erased.
         */
        get: operations["readEmployeeAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/employees/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an employee, newest first
         * @description A page may have fewer than `limit` items where these are very large.
         */
        get: operations["listEmployeeEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the company's events in the order of the ledger
         * @description One event a line (NDJSON), streamed while it is read; compressed with gzip where `Accept-Encoding` asks for it. An event keeps its position whatever filters are given: go on behind any of them with `after`. An answer that could not be finished ends with a broken connection, never in good order. The whole ledger in the proof format ends behind the last event that erased data while it was read: what it lacks is explained in it.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the company's events live (server-sent events)
         * @description Each event is one event here: its data as in the list, its id its position. The stream begins behind the position of `Last-Event-ID`, else behind `after`, else with what is new. It ends from time to time, and when the rights of its user end: open it again with the last id, which moves on with comments too where filters leave events out.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public keys that sign checkpoints, or did
         * @description Notes that a retired key signed stay good. The current key, if there is one, comes first.
         */
        get: operations["listAuditKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/proofs/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that the ledger of one size is the beginning of that of another
         * @description A consistency proof of RFC 6962 section 2.1.2; compare the roots with those of checkpoints.
         */
        get: operations["proveConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit/v1/proofs/inclusion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an event is in the ledger
         * @description An audit path of RFC 6962 section 2.1.1; `leaf_index` is the position less one. The leaf is the hash of the event's `envelope` in the proof format; compare the root with that of a checkpoint of the same size.
         */
        get: operations["proveInclusion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKey: {
            /** @description The API id, sent as `x-api-id`. */
            id: string;
            name: string;
            /**
             * @description A revoked key stays in the list and is refused for ever.
             * @enum {string}
             */
            status: "active" | "disabled" | "revoked";
            /** @description Calls in each period. */
            quota_limit: number;
            /**
             * @description When the quota begins anew: calendar windows, UTC, weeks from Monday.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
            /** @description Of the window that runs now. */
            usage: {
                requests_made: number;
                /** Format: date-time */
                window_start: string;
                /** Format: date-time */
                window_end: string;
            };
            /** Format: date-time */
            last_used: string | null;
            /** @description When the secret was last replaced, and until when the one before works: null when it does not. */
            rotation: {
                /** Format: date-time */
                rotated_at: string | null;
                /** Format: date-time */
                previous_secret_expires_at: string | null;
            };
            /** Format: date-time */
            created_at: string;
        };
        ApiKeyWithSecret: {
            /** @description The API id, sent as `x-api-id`. */
            id: string;
            name: string;
            /**
             * @description A revoked key stays in the list and is refused for ever.
             * @enum {string}
             */
            status: "active" | "disabled" | "revoked";
            /** @description Calls in each period. */
            quota_limit: number;
            /**
             * @description When the quota begins anew: calendar windows, UTC, weeks from Monday.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
            /** @description Of the window that runs now. */
            usage: {
                requests_made: number;
                /** Format: date-time */
                window_start: string;
                /** Format: date-time */
                window_end: string;
            };
            /** Format: date-time */
            last_used: string | null;
            /** @description When the secret was last replaced, and until when the one before works: null when it does not. */
            rotation: {
                /** Format: date-time */
                rotated_at: string | null;
                /** Format: date-time */
                previous_secret_expires_at: string | null;
            };
            /** Format: date-time */
            created_at: string;
            /** @description The secret, sent as `x-api-key`. Shown this once; only its digest is kept. */
            api_key: string;
        };
        /** @description An event as it was written. */
        AuditEvent: {
            /** @description A place in the company's ledger, from 1 without a gap. */
            position: number;
            /** @description The call that it belongs to, which is also its entry in Bulk User Logs. */
            call_id: string | null;
            /** @description The id of the employee, call, key, user or company that it is about. */
            stream: string;
            /** @description Its number in that stream, from 1 without a gap. */
            version: number;
            /** @example EmployeeUpdated */
            type: string;
            /** @description The version of the shape in which the data were written. */
            schema_version: number;
            /** @description The record of the call that it comes from. */
            index: number | null;
            /** Format: date-time */
            recorded_at: string;
            /** @description The id of the API key or user that caused it, or `operator` for the command line. */
            actor: string;
            /** @description Null once erased. */
            data: {
                [key: string]: unknown;
            } | null;
        };
        BulkUserLogEntry: {
            /** @description `log_…`, also the id of the call */
            id: string;
            /**
             * @description whether the call succeeded
             * @enum {string}
             */
            status: "Completed" | "Failed";
            /**
             * @description where the entry comes from
             * @enum {string}
             */
            name: "Public API";
            /** Format: date-time */
            requested_at: string;
            /**
             * @description what the call was to do
             * @enum {string}
             */
            operation: "create" | "update_one" | "update_many";
            counts: {
                total: number;
                updated: number;
                deactivated: number;
                failed: number;
                no_updates: number;
            };
            http_status: number;
            duration_ms: number;
            key: {
                /** @description the API id */
                id: string;
                name: string;
            };
            request_id: string;
            error: {
                code: string;
                detail: string;
            } | null;
        };
        BulkUserLogRecord: {
            index: number | null;
            employee_id: string | null;
            status: ("Synced" | "No Updates" | "Reactivated" | "Deactivated") | null;
            attributes: {
                [key: string]: unknown;
            } | null;
            changes: {
                [key: string]: {
                    from: string | number | boolean | null;
                    to: string | number | boolean | null;
                };
            } | null;
            /** @description a refused record as it was sent; of one that takes more than 65536 bytes as JSON, the beginning of its JSON text */
            record: unknown;
            /** @description whether `record` is only the beginning of what was sent */
            truncated: boolean;
            errors: {
                pointer: string;
                code: string;
                message: string;
            }[] | null;
            /** @description how many more errors the record has */
            errors_omitted: number;
            /** @description whether what the record said is erased: its person was forgotten, or it is a refused one and older than those are kept; then only its place and its status are left */
            erased: boolean;
        };
        CallCounts: {
            total: number;
            updated: number;
            deactivated: number;
            failed: number;
            no_updates: number;
        };
        /** @description The event that made an attribute what it is. */
        Cause: {
            /** @description A place in the company's ledger, from 1 without a gap. */
            position: number;
            /** Format: date-time */
            recorded_at: string;
            /** @description The call that it belongs to, which is also its entry in Bulk User Logs. */
            call_id: string | null;
            /** @description The id of the API key or user that caused it, or `operator` for the command line. */
            actor: string;
            /** @example EmployeeUpdated */
            type: string;
        };
        Company: {
            id: string;
            name: string;
            /** @description IANA name of the time zone in which the pages show times, such as `Europe/Berlin`. Answers stay in UTC. */
            time_zone: string;
            /** Format: date-time */
            created_at: string;
        };
        ConsistencyProof: {
            /** @description A place in the company's ledger, from 1 without a gap. */
            from: number;
            /** @description A place in the company's ledger, from 1 without a gap. */
            to: number;
            /** @description 32 bytes in base64. */
            from_root: string;
            /** @description 32 bytes in base64. */
            to_root: string;
            /** @description From the bottom up. */
            hashes: string[];
        };
        CreatableEmployees: {
            /** @description In the order sent. */
            employees: components["schemas"]["EmployeePreview"][];
        };
        CreatedEmployees: {
            log_id: components["schemas"]["LogId"];
            /** @description In the order sent. */
            employees: components["schemas"]["Employee"][];
        };
        /** @description An employee. Every field is present, null when unset. */
        Employee: {
            id: components["schemas"]["EmployeeId"];
            /** @description Trimmed; the limits hold after that. */
            first_name: string;
            /** @description Trimmed; the limits hold after that. */
            last_name: string;
            /**
             * Format: idn-email
             * @description Kept in lower case, as Unicode NFKC.
             */
            email: string;
            external_id: string | null;
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
            /** @description Attributes of your own. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            version: number;
        };
        /** @description A JSON Merge Patch with what names its employee: `id` if present, else `external_id` unless null, else `email`. Only what does not name the employee is a new value. */
        EmployeeBulkPatch: {
            id?: components["schemas"]["EmployeeId"];
            /** @description Trimmed; the limits hold after that. */
            first_name?: string;
            /** @description Trimmed; the limits hold after that. */
            last_name?: string;
            /**
             * Format: idn-email
             * @description Kept in lower case, as Unicode NFKC.
             */
            email?: string;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone?: string | null;
            /** Format: date */
            start_date?: string | null;
            /** Format: date */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee, `active` reactivates it.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description `null` removes one; the employee has at most 32 afterwards. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Names the manager by external id, in place of `manager_id`. */
            manager_external_id?: string | null;
            /**
             * Format: idn-email
             * @description Names the manager by e-mail, in place of `manager_id`.
             */
            manager_email?: string | null;
        } | unknown | unknown | unknown;
        /** @description A new employee. The manager may stand anywhere in the same call. */
        EmployeeCreate: {
            /** @description Trimmed; the limits hold after that. */
            first_name: string;
            /** @description Trimmed; the limits hold after that. */
            last_name: string;
            /**
             * Format: idn-email
             * @description Kept in lower case, as Unicode NFKC.
             */
            email: string;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone?: string | null;
            /** Format: date */
            start_date?: string | null;
            /** Format: date */
            termination_date?: string | null;
            /**
             * @default active
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description Attributes of your own. */
            custom_attributes?: {
                [key: string]: string | number | boolean;
            } | null;
            /** @description Names the manager by external id, in place of `manager_id`. */
            manager_external_id?: string | null;
            /**
             * Format: idn-email
             * @description Names the manager by e-mail, in place of `manager_id`.
             */
            manager_email?: string | null;
        };
        /** @description An employee. A TypeID. */
        EmployeeId: string;
        EmployeeList: {
            items: components["schemas"]["Employee"][];
            /** @description Null at the end. */
            next_cursor: string | null;
        };
        /** @description A JSON Merge Patch (RFC 7396): what is absent stays as it is, null clears. */
        EmployeePatch: {
            /** @description Trimmed; the limits hold after that. */
            first_name?: string;
            /** @description Trimmed; the limits hold after that. */
            last_name?: string;
            /**
             * Format: idn-email
             * @description Kept in lower case, as Unicode NFKC.
             */
            email?: string;
            external_id?: string | null;
            employee_number?: string | null;
            job_title?: string | null;
            department?: string | null;
            division?: string | null;
            location?: string | null;
            manager_id?: components["schemas"]["EmployeeId"] | null;
            /** @description E.164. */
            phone?: string | null;
            /** Format: date */
            start_date?: string | null;
            /** Format: date */
            termination_date?: string | null;
            /**
             * @description `inactive` deactivates the employee, `active` reactivates it.
             * @enum {string}
             */
            status?: "active" | "inactive";
            /** @description `null` removes one; the employee has at most 32 afterwards. */
            custom_attributes?: {
                [key: string]: string | number | boolean | null;
            } | null;
            /** @description Names the manager by external id, in place of `manager_id`. */
            manager_external_id?: string | null;
            /**
             * Format: idn-email
             * @description Names the manager by e-mail, in place of `manager_id`.
             */
            manager_email?: string | null;
        };
        /** @description An employee who would be created. The id is given at creation. */
        EmployeePreview: {
            id: null;
            /** @description Trimmed; the limits hold after that. */
            first_name: string;
            /** @description Trimmed; the limits hold after that. */
            last_name: string;
            /**
             * Format: idn-email
             * @description Kept in lower case, as Unicode NFKC.
             */
            email: string;
            external_id: string | null;
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
            /** @description Attributes of your own. */
            custom_attributes: {
                [key: string]: string | number | boolean;
            };
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            deactivated_at: components["schemas"]["Timestamp"] | null;
            version: number;
        };
        EmployeeThen: {
            /** @description The position that was asked for, or that was the last at the instant. */
            position: number;
            employee: components["schemas"]["Employee"];
            /** @description By the name of the attribute; a custom attribute as `custom_attributes.grade`. */
            causes: {
                [key: string]: components["schemas"]["Cause"];
            };
        };
        Erasure: {
            erased: {
                /** @description Null for somebody who was never created. */
                employee_id: string | null;
                /** @description How many events have lost their data. */
                positions: number;
            };
            /** @description Where in the ledger it says so. */
            position: number;
        };
        InclusionProof: {
            /** @description A place in the company's ledger, from 1 without a gap. */
            position: number;
            /** @description A place in the company's ledger, from 1 without a gap. */
            size: number;
            /** @description 32 bytes in base64. */
            leaf: string;
            /** @description 32 bytes in base64. */
            root: string;
            /** @description From the leaf up. */
            hashes: string[];
        };
        InvitedUser: {
            id: string;
            /** @description Kept in lower case, as Unicode NFKC. Empty once the user is erased, as is the name. */
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "auditor" | "member";
            /**
             * @description A pending user has yet to set a password by the one-time token.
             * @enum {string}
             */
            status: "pending" | "active" | "removed";
            /**
             * Format: date-time
             * @description When the one-time token that waits to be used ends, or ended.
             */
            invitation_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            removed_at: string | null;
            invitation: {
                /** @description Sets the password, once. Shown this once; only its digest is kept. */
                token: string;
                /** Format: date-time */
                expires_at: string;
            };
        };
        KeyVerification: {
            /** @description The company that owns the key. */
            company_name: string;
            /**
             * Format: date-time
             * @description The latest call of the key before this one.
             */
            last_used: string;
            is_enabled: boolean;
            /** @description Requests that the key may make in a window. */
            quota_limit: number;
            /** @description Requests counted in the current window. */
            requests_made: number;
            /**
             * @description The window: a calendar hour, day, week from Monday, or month, in UTC.
             * @enum {string}
             */
            refresh_period: "hourly" | "daily" | "weekly" | "monthly";
        };
        /** @description A call, and its entry in Bulk User Logs. A TypeID. */
        LogId: string;
        /** @description Why a call was refused (RFC 9457). `log_id` where it has an entry in Bulk User Logs. */
        Problem: {
            /**
             * Format: uri-reference
             * @description A page about the code.
             * @example /problems/validation_failed
             */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong, for programs. */
            code: string;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description That of the `X-Request-Id` header. */
            request_id: string;
            log_id?: components["schemas"]["LogId"];
            /** @description The errors of the records, in the order of the records: the first 16 of each, and at most 1000 of a call. */
            errors: components["schemas"]["RecordError"][];
            /** @description How many more errors there are. Absent when `errors` has all of them. */
            errors_omitted?: number;
        };
        /** @description The very texts that were hashed; data and salt are null once erased. */
        ProofEvent: {
            /** @description Its UTF-8 bytes behind a zero byte hash to the leaf (RFC 6962), with SHA-256. */
            envelope: string;
            /** @description The bytes of the salt and of this hash to `data_hash` of the envelope. */
            data: string | null;
            /** @description 16 bytes in hexadecimal */
            salt: string | null;
        };
        RecordError: {
            /** @description Zero-based place of the record in the call. */
            index: number;
            /** @description The employee's id, when it is known. */
            id: string | null;
            /**
             * @description JSON Pointer (RFC 6901) into the body as it was sent. Where the name of a field has more than 256 characters, it leads to the object that has the field.
             * @example /employees/0/email
             */
            pointer: string;
            /**
             * @description - `required`: A required field is absent.
             *     - `invalid_type`: The value has another JSON type.
             *     - `invalid_format`: The text does not have the form of such a value.
             *     - `too_long`: Longer than the limit, which the message names; also a record or `custom_attributes` with too many members.
             *     - `too_short`: Shorter than the limit, which the message names.
             *     - `invalid_value`: None of the values that the field may have, or one that another field forbids.
             *     - `null_not_allowed`: The field cannot be unset.
             *     - `unknown_field`: An employee has no such field.
             *     - `read_only_field`: The API itself keeps the field.
             *     - `missing_locator`: Nothing in the record names its employee.
             *     - `employee_not_found`: The company has no such employee.
             *     - `already_exists`: Another employee holds the value.
             *     - `inactive_employee_exists`: An inactive employee holds the value; `id` is theirs.
             *     - `duplicate_in_batch`: Another record of the call names the same employee, or takes the same value.
             *     - `manager_not_found`: The company has no such employee to be the manager.
             *     - `manager_cycle`: The employee would stand above themselves.
             * @enum {string}
             */
            code: "required" | "invalid_type" | "invalid_format" | "too_long" | "too_short" | "invalid_value" | "null_not_allowed" | "unknown_field" | "read_only_field" | "missing_locator" | "employee_not_found" | "already_exists" | "inactive_employee_exists" | "duplicate_in_batch" | "manager_not_found" | "manager_cycle";
            /** @description Names the fault and the limit, never the value that was sent. */
            message: string;
        };
        /**
         * @description What an update did to an employee: deactivated before reactivated before synced before no_updates.
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
            /** @description The attributes that changed, by name; a custom attribute as `custom_attributes.grade`. */
            changed: string[];
            employee: components["schemas"]["Employee"];
        };
        /** @description `log_id` is absent with `validate_only`. */
        UpdatedEmployees: {
            log_id?: components["schemas"]["LogId"];
            counts: components["schemas"]["CallCounts"];
            results: {
                index: number;
                id: components["schemas"]["EmployeeId"];
                result: components["schemas"]["RecordResult"];
                /** @description The attributes that changed, by name; a custom attribute as `custom_attributes.grade`. */
                changed: string[];
            }[];
        };
        User: {
            id: string;
            /** @description Kept in lower case, as Unicode NFKC. Empty once the user is erased, as is the name. */
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "auditor" | "member";
            /**
             * @description A pending user has yet to set a password by the one-time token.
             * @enum {string}
             */
            status: "pending" | "active" | "removed";
            /**
             * Format: date-time
             * @description When the one-time token that waits to be used ends, or ended.
             */
            invitation_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            removed_at: string | null;
        };
        UserToken: {
            id: string;
            user_id: string;
            name: string;
            /**
             * @description What the token is narrowed to: `audit` opens the audit endpoint, for a user whose role does, and nothing else. Null: all that its user may do.
             * @enum {string|null}
             */
            scope: "audit" | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * Format: date-time
             * @description To the minute; null when it never was.
             */
            last_used: string | null;
            /** Format: date-time */
            revoked_at: string | null;
        };
        UserTokenWithSecret: {
            id: string;
            user_id: string;
            name: string;
            /**
             * @description What the token is narrowed to: `audit` opens the audit endpoint, for a user whose role does, and nothing else. Null: all that its user may do.
             * @enum {string|null}
             */
            scope: "audit" | null;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /**
             * Format: date-time
             * @description To the minute; null when it never was.
             */
            last_used: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            /** @description Sent as `Authorization: Bearer`. Shown this once; only its digest is kept. */
            token: string;
        };
    };
    responses: {
        /**
         * @description `admin_only`: Only administrators of the company may do this.
         *
         *     `cross_site_request`: The request was made by a page of another site.
         *
         *     `role_required`: The role of the user does not allow this.
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
        /** @description `employee_not_found`: No such employee. */
        AdminEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description `former_name`: Only employees who had this name before are found. */
        AdminFormerName: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "former_name";
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
         * @description `invalid_body`: The body has the wrong form.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not well-formed JSON.
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
        /** @description `invalid_credentials`: The credentials are missing or not valid. */
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
        /** @description `key_not_found`: No such API key. */
        AdminKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "key_not_found";
                };
            };
        };
        /** @description `key_revoked`: The API key has been revoked. */
        AdminKeyRevoked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "key_revoked";
                };
            };
        };
        /** @description `last_admin`: The company would be left without an administrator. */
        AdminLastAdmin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "last_admin";
                };
            };
        };
        /**
         * @description `last_admin`: The company would be left without an administrator.
         *
         *     `user_removed`: The user has been removed.
         */
        AdminLastAdminUserRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "last_admin" | "user_removed";
                };
            };
        };
        /** @description `log_not_found`: No such log entry. */
        AdminLogNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "log_not_found";
                };
            };
        };
        /** @description `internal_error`: Something went wrong on our side. */
        AdminOpenInternalError: {
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
         * @description `invalid_body`: The body has the wrong form.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not well-formed JSON.
         */
        AdminOpenInvalidBodyInvalidQueryMalformedJson: {
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
        /** @description `invalid_credentials`: The credentials are missing or not valid. */
        AdminOpenInvalidCredentials: {
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
        /** @description `payload_too_large`: The body is too large. */
        AdminOpenPayloadTooLarge: {
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
        /** @description `rate_limited`: Too many calls at once. */
        AdminOpenRateLimited: {
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
        /** @description `unavailable`: The service cannot answer for the moment. */
        AdminOpenUnavailable: {
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
        AdminOpenUnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description `validation_failed`: Records of the call are not valid. */
        AdminOpenValidationFailed: {
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
        /** @description `rate_limited`: Too many calls at once. */
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
        /** @description `token_not_found`: No such token. */
        AdminTokenNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "token_not_found";
                };
            };
        };
        /** @description `unavailable`: The service cannot answer for the moment. */
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
        /** @description `user_exists`: A user with this e-mail address exists. */
        AdminUserExists: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "user_exists";
                };
            };
        };
        /** @description `user_not_found`: No such user. */
        AdminUserNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 404;
                    /** @enum {string} */
                    code?: "user_not_found";
                };
            };
        };
        /** @description `user_not_removed`: The user has not been removed. */
        AdminUserNotRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "user_not_removed";
                };
            };
        };
        /** @description `user_removed`: The user has been removed. */
        AdminUserRemoved: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 409;
                    /** @enum {string} */
                    code?: "user_removed";
                };
            };
        };
        /** @description `validation_failed`: Records of the call are not valid. */
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
        /**
         * @description `already_exists`: An employee with these details exists.
         *
         *     `idempotency_in_progress`: The first call with this idempotency key is still running.
         *
         *     `idempotency_response_expired`: The answer to the first call with this idempotency key has expired.
         *
         *     `inactive_employee_exists`: An inactive employee with these details exists.
         */
        ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists: {
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
                    code?: "already_exists" | "idempotency_in_progress" | "idempotency_response_expired" | "inactive_employee_exists";
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
         *     `idempotency_key_reused`: The idempotency key belongs to another request.
         *
         *     `validation_failed`: Records of the call are not valid.
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
         *     `invalid_body`: The body has the wrong form.
         *
         *     `invalid_query`: A query parameter is not valid.
         *
         *     `malformed_json`: The body is not well-formed JSON.
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
         * @description `idempotency_key_reused`: The idempotency key belongs to another request.
         *
         *     `validation_failed`: Records of the call are not valid.
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
        /** @description `invalid_credentials`: The credentials are missing or not valid. */
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
        /** @description `key_disabled`: The API key is disabled. */
        ApiCallKeyDisabled: {
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
                    code?: "key_disabled";
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
        /** @description `precondition_failed`: The employee has changed meanwhile. */
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
         * @description `quota_exceeded`: The quota of the API key is used up.
         *
         *     `rate_limited`: Too many calls at once.
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
        /** @description `unavailable`: The service cannot answer for the moment. */
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
        /** @description `invalid_credentials`: The credentials are missing or not valid. */
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
        /** @description `key_disabled`: The API key is disabled. */
        ApiKeyDisabled: {
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
                    code?: "key_disabled";
                };
            };
        };
        /**
         * @description `quota_exceeded`: The quota of the API key is used up.
         *
         *     `rate_limited`: Too many calls at once.
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
        /** @description `rate_limited`: Too many calls at once. */
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
        /** @description `unavailable`: The service cannot answer for the moment. */
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
        /**
         * @description `cross_site_request`: The request was made by a page of another site.
         *
         *     `role_required`: The role of the user does not allow this.
         */
        AuditCrossSiteRequestRoleRequired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @constant */
                    status?: 403;
                    /** @enum {string} */
                    code?: "cross_site_request" | "role_required";
                };
            };
        };
        /** @description `employee_not_found`: No such employee. */
        AuditEmployeeNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        AuditInternalError: {
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
        /** @description `invalid_credentials`: The credentials are missing or not valid. */
        AuditInvalidCredentials: {
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
        AuditInvalidQuery: {
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
        /** @description `rate_limited`: Too many calls at once. */
        AuditRateLimited: {
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
        /** @description `unavailable`: The service cannot answer for the moment. */
        AuditUnavailable: {
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
    };
    parameters: {
        /**
         * @description Makes the call safe to repeat: 1 to 255 visible ASCII characters, chosen by the client, one for each intended effect. A retry with the same key and the same request gets the first answer again and has no second effect. Use a random value, without personal data: that a key was used is remembered for ever.
         * @example nightly-2026-11-20-batch-1
         */
        IdempotencyKey: string;
        /**
         * @description Updates the employee only if it still has this version: the `ETag` of an earlier answer, or `*`.
         * @example "1"
         */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The request's id: the client's own, if it sent one of 1 to 64 letters, digits and `.`, `_`, `-`; otherwise a new one.
         * @example 7a165430-d4e7-4ff0-816e-44d0adc6327e
         */
        "X-Request-Id": string;
        /**
         * @description The quota of the key: `q` requests in a window of `w` seconds.
         * @example "quota";q=10000;w=2592000
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of it: `r` requests, and `t` seconds until the window ends.
         * @example "quota";r=9999;t=864000
         */
        RateLimit: string;
        /**
         * @description The last position of the call's events in the company's ledger. Send it as `min_position` to read your own write.
         * @example 42
         */
        "X-Ledger-Position": number;
        /** @description `true` where the answer is that of the first call with the same `Idempotency-Key`. */
        "Idempotency-Replayed": "true";
        /**
         * @description The version of the employee, for `If-Match`.
         * @example "1"
         */
        ETag: string;
        /** @description The path of the one thing that was created. */
        Location: string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        "Retry-After": number;
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
            /** @description What the key is, and how much it was used. */
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
            429: components["responses"]["ApiRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    listEmployees: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `next_cursor` of the page before. */
                cursor?: string;
                status?: "active" | "inactive";
                /** @description Who has it at this moment, as the last commit left them. */
                email?: string;
                /** @description Who has it at this moment, as the last commit left them. */
                external_id?: string;
                /** @description Changed at this time or later; the list is then in the order of the changes. */
                updated_since?: string;
                /** @description Part of a name, an e-mail or an external id. */
                q?: string;
                /** @description Wait, at most 10 s, until the list has caught up with this `X-Ledger-Position`. */
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
            403: components["responses"]["ApiKeyDisabled"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    createEmployees: {
        parameters: {
            query?: {
                /** @description Answer what would happen, and store nothing: neither a change nor a log entry. */
                validate_only?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to repeat: 1 to 255 visible ASCII characters, chosen by the client, one for each intended effect. A retry with the same key and the same request gets the first answer again and has no second effect. Use a random value, without personal data: that a key was used is remembered for ever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, a bare array of them, or one bare record. */
        requestBody: {
            content: {
                "application/json": {
                    employees: components["schemas"]["EmployeeCreate"][];
                } | components["schemas"]["EmployeeCreate"][] | components["schemas"]["EmployeeCreate"];
            };
        };
        responses: {
            /** @description With `validate_only`: what would be created. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatableEmployees"];
                };
            };
            /** @description The new employees; `Location` where it is one. */
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
            403: components["responses"]["ApiCallKeyDisabled"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
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
                /** @description Answer what would happen, and store nothing: neither a change nor a log entry. */
                validate_only?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to repeat: 1 to 255 visible ASCII characters, chosen by the client, one for each intended effect. A retry with the same key and the same request gets the first answer again and has no second effect. Use a random value, without personal data: that a key was used is remembered for ever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description An object with the records, or a bare array of them. */
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
            /** @description What became of each employee. */
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
                    "application/json": components["schemas"]["UpdatedEmployees"];
                };
            };
            400: components["responses"]["ApiCallIdempotencyKeyInvalidInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["ApiCallInvalidCredentials"];
            403: components["responses"]["ApiCallKeyDisabled"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
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
            header?: never;
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
            400: components["responses"]["ApiInvalidQuery"];
            401: components["responses"]["ApiInvalidCredentials"];
            403: components["responses"]["ApiKeyDisabled"];
            404: components["responses"]["ApiEmployeeNotFound"];
            429: components["responses"]["ApiQuotaExceededRateLimited"];
            500: components["responses"]["ApiInternalError"];
            503: components["responses"]["ApiUnavailable"];
        };
    };
    updateEmployee: {
        parameters: {
            query?: {
                /** @description Answer what would happen, and store nothing: neither a change nor a log entry. */
                validate_only?: boolean;
            };
            header?: {
                /**
                 * @description Makes the call safe to repeat: 1 to 255 visible ASCII characters, chosen by the client, one for each intended effect. A retry with the same key and the same request gets the first answer again and has no second effect. Use a random value, without personal data: that a key was used is remembered for ever.
                 * @example nightly-2026-11-20-batch-1
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Updates the employee only if it still has this version: the `ETag` of an earlier answer, or `*`.
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
            /** @description What became of the employee. */
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
            403: components["responses"]["ApiCallKeyDisabled"];
            404: components["responses"]["ApiCallEmployeeNotFound"];
            409: components["responses"]["ApiCallAlreadyExistsIdempotencyInProgressIdempotencyResponseExpiredInactiveEmployeeExists"];
            412: components["responses"]["ApiCallPreconditionFailed"];
            413: components["responses"]["ApiCallPayloadTooLarge"];
            415: components["responses"]["ApiCallUnsupportedMediaType"];
            422: components["responses"]["ApiCallIdempotencyKeyReusedValidationFailed"];
            429: components["responses"]["ApiCallQuotaExceededRateLimited"];
            500: components["responses"]["ApiCallInternalError"];
            503: components["responses"]["ApiCallUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before, for the next one. */
                cursor?: string;
                status?: "active" | "disabled" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ApiKey"][];
                        /** @description Null at the end. */
                        next_cursor: string | null;
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
    issueApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; the limits hold after that. */
                    name: string;
                    /**
                     * @description Calls in each period.
                     * @default 10000
                     */
                    quota_limit: number;
                    /**
                     * @description When the quota begins anew: calendar windows, UTC, weeks from Monday.
                     * @default monthly
                     * @enum {string}
                     */
                    refresh_period: "hourly" | "daily" | "weekly" | "monthly";
                };
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
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    editApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; the limits hold after that. */
                    name?: string;
                    /** @description Calls in each period. */
                    quota_limit?: number;
                    /**
                     * @description When the quota begins anew: calendar windows, UTC, weeks from Monday.
                     * @enum {string}
                     */
                    refresh_period?: "hourly" | "daily" | "weekly" | "monthly";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    disableApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    enableApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description For how long the secret that is replaced still works. One that was replaced before ends at once.
                     * @default 86400
                     */
                    overlap_seconds: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminKeyNotFound"];
            409: components["responses"]["AdminKeyRevoked"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listBulkUserLogs: {
        parameters: {
            query?: {
                /** @description the status of the entry */
                status?: "Completed" | "Failed";
                /** @description what the call was to do */
                operation?: "create" | "update_one" | "update_many";
                /** @description requested at this instant or later (RFC 3339) */
                from?: string;
                /** @description requested before this instant (RFC 3339) */
                to?: string;
                /** @description the API id of the key that made the call */
                key?: string;
                /** @description entries with a record of exactly this employee: an id, an e-mail (in any case) or an external id, as the employee has them now; also refused records in which exactly that stood */
                employee?: string;
                /** @description entries with a record of an employee in whose names, e-mail, external id or employee number this text stands (in any case), or whose id it is; also refused records in which exactly this id, e-mail or external id stood */
                q?: string;
                /** @description how many items a page has */
                limit?: number;
                /** @description `next_cursor` of the page before; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["BulkUserLogEntry"][];
                        next_cursor: string | null;
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
    exportBulkUserLogs: {
        parameters: {
            query?: {
                /** @description the status of the entry */
                status?: "Completed" | "Failed";
                /** @description what the call was to do */
                operation?: "create" | "update_one" | "update_many";
                /** @description requested at this instant or later (RFC 3339) */
                from?: string;
                /** @description requested before this instant (RFC 3339) */
                to?: string;
                /** @description the API id of the key that made the call */
                key?: string;
                /** @description entries with a record of exactly this employee: an id, an e-mail (in any case) or an external id, as the employee has them now; also refused records in which exactly that stood */
                employee?: string;
                /** @description entries with a record of an employee in whose names, e-mail, external id or employee number this text stands (in any case), or whose id it is; also refused records in which exactly this id, e-mail or external id stood */
                q?: string;
            };
            header?: never;
            path?: never;
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
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getBulkUserLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of an entry: `log_…` */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkUserLogEntry"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    listBulkUserLogRecords: {
        parameters: {
            query?: {
                /** @description the status of the record; `Created` finds those of a creation and `Failed` refused ones, which have none */
                status?: "Synced" | "No Updates" | "Reactivated" | "Deactivated" | "Created" | "Failed";
                /** @description as for the list of entries */
                q?: string;
                /** @description how many items a page has */
                limit?: number;
                /** @description `next_cursor` of the page before; opaque */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description the id of an entry: `log_…` */
                log_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["BulkUserLogRecord"][];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    exportBulkUserLogRecords: {
        parameters: {
            query?: {
                /** @description the status of the record; `Created` finds those of a creation and `Failed` refused ones, which have none */
                status?: "Synced" | "No Updates" | "Reactivated" | "Deactivated" | "Created" | "Failed";
                /** @description as for the list of entries */
                q?: string;
            };
            header?: never;
            path: {
                /** @description the id of an entry: `log_…` */
                log_id: string;
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
            404: components["responses"]["AdminLogNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    streamBulkUserLogs: {
        parameters: {
            query?: {
                /** @description the id of the last event seen */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
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
    getCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
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
    changeCompany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description IANA name of the time zone in which the pages show times, such as `Europe/Berlin`. Answers stay in UTC. */
                    time_zone?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Company"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    erasePerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The employee's id; also of one who was erased before, for what has come since. */
                    employee_id?: string;
                    /** @description The e-mail address that the person has now, or that refused records named; in any case. */
                    email?: string;
                    /** @description The external id that the person has now, or that refused records named. */
                    external_id?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminEmployeeNotFound"];
            409: components["responses"]["AdminFormerName"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The one-time token of an invitation or a reset. */
                    token: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminOpenInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminOpenInvalidCredentials"];
            413: components["responses"]["AdminOpenPayloadTooLarge"];
            415: components["responses"]["AdminOpenUnsupportedMediaType"];
            422: components["responses"]["AdminOpenValidationFailed"];
            429: components["responses"]["AdminOpenRateLimited"];
            500: components["responses"]["AdminOpenInternalError"];
            503: components["responses"]["AdminOpenUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before, for the next one. */
                cursor?: string;
                /** @description A user's id; without it, the tokens are your own. */
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["UserToken"][];
                        /** @description Null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Trimmed; the limits hold after that. */
                    name: string;
                    /** @default 90 */
                    expires_in_days: number;
                    /**
                     * @description What the token is narrowed to: `audit` opens the audit endpoint, for a user whose role does, and nothing else.
                     * @enum {string}
                     */
                    scope?: "audit";
                };
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
                    "application/json": components["schemas"]["UserTokenWithSecret"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
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
            404: components["responses"]["AdminTokenNotFound"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description the first day (UTC); by default 30 days end with `to` */
                from?: string;
                /** @description the last day (UTC), included; by default today */
                to?: string;
                /** @description the API id of the key that made the calls */
                key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date */
                        from: string;
                        /** Format: date */
                        to: string;
                        items: {
                            /**
                             * Format: date
                             * @description the day (UTC) on which the calls were requested
                             */
                            day: string;
                            /** @enum {string} */
                            operation: "create" | "update_one" | "update_many";
                            /** @enum {string} */
                            status: "Completed" | "Failed";
                            calls: number;
                            records: {
                                total: number;
                                updated: number;
                                deactivated: number;
                                failed: number;
                                no_updates: number;
                            };
                        }[];
                        /** @description all days come at once */
                        next_cursor: null;
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
    listUsers: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before, for the next one. */
                cursor?: string;
                /** @description Without it, all but the removed users. */
                status?: "pending" | "active" | "removed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["User"][];
                        /** @description Null at the end. */
                        next_cursor: string | null;
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
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Kept in lower case, as Unicode NFKC. */
                    email: string;
                    /** @description Trimmed; the limits hold after that. */
                    name: string;
                    /** @enum {string} */
                    role: "admin" | "auditor" | "member";
                };
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
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            409: components["responses"]["AdminUserExists"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidQuery"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
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
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminLastAdmin"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role?: "admin" | "auditor" | "member";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminLastAdminUserRemoved"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            422: components["responses"]["AdminValidationFailed"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminUserNotRemoved"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the user. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Ledger-Position": components["headers"]["X-Ledger-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUser"];
                };
            };
            400: components["responses"]["AdminInvalidBodyInvalidQueryMalformedJson"];
            401: components["responses"]["AdminInvalidCredentials"];
            403: components["responses"]["AdminAdminOnlyCrossSiteRequestRoleRequired"];
            404: components["responses"]["AdminUserNotFound"];
            409: components["responses"]["AdminUserRemoved"];
            413: components["responses"]["AdminPayloadTooLarge"];
            415: components["responses"]["AdminUnsupportedMediaType"];
            429: components["responses"]["AdminRateLimited"];
            500: components["responses"]["AdminInternalError"];
            503: components["responses"]["AdminUnavailable"];
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the position of the last event, which is the size of the tree */
                        position: number;
                        /** @description the root of the tree, base64 */
                        root: string;
                        /** @description the signed note; verify over these very characters */
                        note: string;
                        /** @description a verifier key of signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)` */
                        public_key: string;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    readEmployeeAt: {
        parameters: {
            query?: {
                /**
                 * @description A position, or an instant (RFC 3339); without it, the head of the ledger.
                 * @example 2026-11-20T15:01:40.325Z
                 */
                at?: string;
            };
            header?: never;
            path: {
                /** @description The id of the employee. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmployeeThen"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            404: components["responses"]["AuditEmployeeNotFound"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    listEmployeeEvents: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before, for the next one. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the employee. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["AuditEvent"][];
                        /** @description Null at the end. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            404: components["responses"]["AuditEmployeeNotFound"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this position. */
                after?: number;
                /** @description Only events of these types, parted by commas. */
                type?: string;
                /** @description Only the events of the stream of this employee: `emp_…`. */
                employee?: string;
                /** @description How many events at most; without it, all up to the one that was the last when the answer began. */
                limit?: number;
                /** @description `plain` for people and programs, `proof` for verification: the very bytes that were hashed. */
                format?: "plain" | "proof";
                /** @description Only the events of this call: `log_…`. */
                call?: string;
                /** @description Recorded at this instant or later (RFC 3339). */
                from?: string;
                /** @description Recorded before this instant (RFC 3339). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, or none at all. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["AuditEvent"] | components["schemas"]["ProofEvent"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this position. */
                after?: number;
                /** @description Only events of these types, parted by commas. */
                type?: string;
                /** @description Only the events of the stream of this employee: `emp_…`. */
                employee?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    listAuditKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description a verifier key of signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)` */
                            public_key: string;
                            /** @enum {string} */
                            status: "current" | "retired";
                        }[];
                        /** @description all keys come at once */
                        next_cursor: null;
                    };
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    proveConsistency: {
        parameters: {
            query: {
                /** @description How many events the smaller tree has. */
                from: number;
                /** @description How many events the larger tree has; without it, the size that the ledger has. */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsistencyProof"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
    proveInclusion: {
        parameters: {
            query: {
                /** @description The position of the event. */
                position: number;
                /** @description How many events the tree has; without it, the size that the ledger has. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InclusionProof"];
                };
            };
            400: components["responses"]["AuditInvalidQuery"];
            401: components["responses"]["AuditInvalidCredentials"];
            403: components["responses"]["AuditCrossSiteRequestRoleRequired"];
            429: components["responses"]["AuditRateLimited"];
            500: components["responses"]["AuditInternalError"];
            503: components["responses"]["AuditUnavailable"];
        };
    };
}
